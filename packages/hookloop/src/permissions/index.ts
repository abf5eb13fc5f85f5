export { readUpTo } from "../state-files.ts";
export { COMMAND_FIELD, callFacts, callsOfKind, commandText, PATH_FIELD, pathTexts, rememberedTarget } from "./call-facts.ts";
export { decide, ruleText } from "./decide.ts";
export { ownGitFolders, ownRepository } from "./paths/own-repository.ts";
export {
  absoluteSearchPath,
  gitRoot,
  insideFolders,
  insideProject,
  isOwn,
  notedGitFolders,
  type ProgramPlace,
  type ProjectPlace,
  projectRoot,
  type ReadFile,
  readWithin,
  realFolder,
  systemSearchPath,
  usersSearchPath,
  type Within,
} from "./paths/project-files.ts";
export { isInFolders, isInside, isStillTarget, type RealTarget, realTarget } from "./paths/real-target.ts";
export { touchedFiles } from "./paths/touched-files.ts";
export { Permissions, suggestUpdates } from "./permissions.ts";
export { proposedChange, protect } from "./protect/protect.ts";
export type { ProtectContext } from "./protect/protected-path.ts";
export { compileCall, isToolDenied } from "./rules/compile-rule.ts";
export { matchesSome } from "./rules/matching-rules.ts";
export type { PathAnchors } from "./rules/path-spec.ts";
export { MODES, readRules } from "./rules/read-rules.ts";
export { compileToolName, compileWildcard, isKnownTool, parseRule, serverSpellings, spellingOf, toolHint } from "./rules/rule-grammar.ts";
export { conditionSlip, severalRules } from "./rules/spec-slip.ts";
export type {
  DecideContext,
  DecidedBy,
  Likeness,
  PermissionCall,
  PermissionDecision,
  PermissionLists,
  PermissionMode,
  PlacedText,
  Protect,
  RuleList,
  RuleReference,
  RuleScope,
  RuleSet,
  RuleSource,
} from "./types.ts";
