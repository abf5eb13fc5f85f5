export { type FindOptions, type FoundSources, findSources } from "./find/find-sources.ts";
export { type MatcherForm, matcherForm } from "./matcher-form.ts";
export { type DocumentText, readDocument } from "./read/read-document.ts";
export { readFrontmatter } from "./read/read-frontmatter.ts";
export { checkScripts, type ScriptOptions } from "./scripts/check-scripts.ts";
export type { ConfigDocument, DialectName, HookDeclaration, Scope, Source, Switches } from "./types.ts";
