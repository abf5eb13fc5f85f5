export { onAbort } from "./abort-listeners.ts";
export { type Broker, type BrokerOptions, createBroker } from "./broker/index.ts";
export { type CommandPorts, createCommandRunner } from "./command-runner.ts";
export { createEnvFile, type EnvFile } from "./env-file.ts";

export { snapshotEnvironment } from "./environment.ts";
export { notRun, thrownText } from "./failures.ts";
export { createFunctionRunner, frozenCopy } from "./function-runner.ts";
export { createSlots } from "./limits.ts";
export { reapOrphans } from "./orphans.ts";
export { runProgram } from "./process-group.ts";

export { createRunFile, type RunFile, readAncestry } from "./run-file.ts";
export type { RawOutcome, RunFailure, RunInput, Runner } from "./types.ts";
export { isModelKey, isSensitive } from "./withheld-names.ts";
