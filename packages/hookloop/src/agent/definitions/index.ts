export { type Definitions, findDefinitions } from "./find-definitions.ts";
export { commandText, findSkill, isOff, isOn, skillFolder, skillText } from "./instructions-text.ts";
export { type LiveDefinitions, openDefinitions } from "./live-definitions.ts";
export { type Definition, listField, stringField } from "./read-definition.ts";
