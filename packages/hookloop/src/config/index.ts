export { appendToList, type Edited, newJson } from "./edit-json.ts";
export { lookedFor } from "./find/files-above.ts";
export {
  configFiles,
  type FindOptions,
  type FoundSources,
  findSources,
  SOURCE_NAMES,
  type SourceName,
  sessionFiles,
} from "./find/find-sources.ts";
export { type ConfigNode, type ConfigProperty, type ParsedText, parseJson, plainValue } from "./parse-json.ts";
export { named, parseHead, parseYaml } from "./parse-yaml.ts";
export { checkScripts, folderVariables, scriptProblem, serverToolsOf, wordsOfLine } from "./read/check-scripts.ts";
export { readFrontmatter } from "./read/read-document.ts";
export { type Registry, registerHooks } from "./register-hooks.ts";
export {
  canBlockIfWritten,
  canonicalJson,
  directionAt,
  dropDuplicates,
  type HookFunction,
  type HookTarget,
  IS_ANSWER,
  NO_QUESTION,
  type RegisteredHook,
  type SequenceMode,
  withholdsResult,
} from "./registered-hook.ts";
export { disabledNames, type HttpPolicy, isOtherName, type SwitchState } from "./switch-state.ts";
export {
  BELOW_USER,
  backtrackingCost,
  type ConfigDocument,
  EXTENSION,
  type HookDeclaration,
  matcherForm,
  type Scope,
  type SettingsCommand,
  type Source,
  scopeRank,
} from "./types.ts";
export { type FileChange, type FileEdit, planEdits, planUndo, unifiedDiff, type WritePlace, writeEdits } from "./write-files.ts";
