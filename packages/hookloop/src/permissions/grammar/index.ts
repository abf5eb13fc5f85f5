export { compileCommandCover, looseTexts, startWord } from "./command-spec.ts";
export { compileCall, parameterOf } from "./compile-call.ts";
export { parseRule, type Rule } from "./parse-rule.ts";
export {
  type BeyondTest,
  compileBeyondSpec,
  compileFolderSpec,
  compilePathSpec,
  type FolderTest,
  type PathAnchors,
  type PathTest,
  requiredName,
} from "./path-spec.ts";
export { joinedRules, severalRules } from "./several-rules.ts";
export { looksLikeRegex, plainCommands, regexCure, type Slip, type SlipPlace, slipOf } from "./spec-slip.ts";
export { compileToolName, isKnownTool, meantRule, presentName, toolHint, toolRow } from "./tool-name.ts";
export { compileWildcard } from "./wildcard.ts";
