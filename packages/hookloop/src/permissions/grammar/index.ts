export { compileCommandCover, looseTexts, startWord } from "./command-spec.ts";
export { compileCall, parameterOf } from "./compile-call.ts";
export { parseRule, type Rule } from "./parse-rule.ts";
export { compilePathSpec, type PathAnchors, type PathTest, requiredName } from "./path-spec.ts";
export { compileToolName, isKnownTool, presentName, toolHint, toolRow } from "./tool-name.ts";
export { compileWildcard } from "./wildcard.ts";
