export { type Definitions, findDefinitions } from "./find-definitions.ts";
export { type LiveDefinitions, openDefinitions } from "./live-definitions.ts";
export { type Definition, listField, stringField } from "./read-definition.ts";
