export { configFiles, type FindOptions, type FoundSources, findSources } from "./find/find-sources.ts";
export { LOOKED_FOR } from "./find/misnamed-files.ts";
export { matcherForm } from "./matcher-form.ts";
export { readDocument } from "./read/read-document.ts";
export { readFrontmatter } from "./read/read-frontmatter.ts";
export { checkScripts, projectVariable, scriptProblem } from "./scripts/check-scripts.ts";
export { scriptOfCommand } from "./scripts/script-of-command.ts";
export { named, parseHead, plainValue } from "./tree/index.ts";
export type { DialectName, SettingsCommand } from "./types.ts";
