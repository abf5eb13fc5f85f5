export { type Environment, explainWithheld, scrubEnvironment, snapshotEnvironment } from "./environment.ts";
export { isModelKey, isSecretName, sensitivityOf, whyNotExported } from "./withheld-names.ts";
