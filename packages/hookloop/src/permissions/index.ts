export { callFacts, rememberedTarget } from "./call-facts.ts";
export { decide } from "./decide/decide.ts";
export { ruleText } from "./decide/describe.ts";
export {
  compileCall,
  compileToolName,
  isKnownTool,
  looksLikeRegex,
  type PathAnchors,
  parseRule,
  type Rule,
  regexCure,
  severalRules,
  toolHint,
} from "./grammar/index.ts";
export {
  absoluteSearchPath,
  configFolder,
  gitRoot,
  insideFolders,
  insideProject,
  isInFolders,
  isInside,
  isOwn,
  isStillTarget,
  isThere,
  ownGitFolders,
  ownRepository,
  type ProgramPlace,
  type ProjectPlace,
  projectRoot,
  type ReadFile,
  type RealTarget,
  readWithin,
  realTarget,
  systemSearchPath,
  usersSearchPath,
  type Within,
} from "./paths/index.ts";
export { proposedChange, protect } from "./protect/index.ts";
export { isToolDenied } from "./rules/is-tool-denied.ts";
export { matchesSome } from "./rules/matching-rules.ts";
export { MODES, type ReadRules, readRules } from "./rules/read-rules.ts";
export { type PermissionOptions, Permissions } from "./session/permissions.ts";
export { suggestUpdates } from "./session/suggest-updates.ts";
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
