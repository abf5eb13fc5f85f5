export { type Environment, scrubEnvironment, snapshotEnvironment } from "./environment.ts";
export { isModelKey, isSecretName, sensitivityOf, whyNotExported } from "./withheld-names.ts";
