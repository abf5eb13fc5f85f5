export { onAbort } from "./abort-listeners.ts";
export { type Broker, type BrokerOptions, createBroker } from "./broker/index.ts";
export { type CommandPorts, createCommandRunner } from "./command-runner.ts";
export { createEnvFile, type EnvFile, type EnvFileOptions, readEnvFile } from "./env-file.ts";
export type { Assignments, EnvFileProblem } from "./env-file-words.ts";
export {
  type Environment,
  type HookEnvironment,
  type HookEnvironmentOptions,
  hookEnvironment,
  type ScrubOptions,
  scrubEnvironment,
  snapshotEnvironment,
} from "./environment.ts";
export { notRun, thrownText } from "./failures.ts";
export { createFunctionRunner, type FunctionRunnerOptions } from "./function-runner.ts";
export { type Ancestry, createSlots, DEPTH_LIMIT, NO_ANCESTRY, PROCESS_SLOTS, recursionRefusal, type Slots } from "./limits.ts";
export { type Reaped, reapOrphans } from "./orphans.ts";
export { PROCESS_LIMITS, type ProcessLimits, type Program, type ProgramEnd, runProgram } from "./process-group.ts";
export { runDiagnostics } from "./run-diagnostics.ts";
export { createRunFile, type RunFile, type RunFileOptions, type RunRecord, readAncestry } from "./run-file.ts";
export type { RawOutcome, RunFailure, RunFailureKind, RunInput, Runner } from "./types.ts";
