export { type ConfigNode, type ConfigProperty, isBrokenAnywhere, type ObjectNode, plainValue } from "./config-node.ts";
export { MAX_BYTES } from "./limits.ts";
export { type Head, parseHead } from "./parse-head.ts";
export { type ParsedText, parseJson, tooLarge } from "./parse-json.ts";
export { loadYaml, named } from "./parse-yaml.ts";
