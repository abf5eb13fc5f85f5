export { type Environment, scrubEnvironment, snapshotEnvironment } from "./environment.ts";
export { SECRET_HINTS, secretPattern } from "./secret-patterns.ts";
export { isModelKey, isSecretName, sensitivityOf, whyNotExported } from "./withheld-names.ts";
