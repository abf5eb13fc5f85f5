export { type CommandPorts, createCommandRunner } from "./command-runner.ts";
export { dataCopy, frozenCopy, inputCopy, isInputObject, isPlainObject } from "./data-copy.ts";
export { createEnvFile, type EnvFile } from "./env-file.ts";
export { explainWithheld, isModelKey, isSecretName, scrubEnvironment, sensitivityOf, snapshotEnvironment } from "./environment.ts";
export {
  FailedCall,
  FunctionRun,
  inOwnContext,
  isWatchedGuard,
  joinRuns,
  Misread,
  startFunction,
  type TellGuard,
  Unreturned,
  watchedGuard,
  watchResults,
} from "./function-runner.ts";
export { guardLookup, isLoopbackHost, isPublicAddress } from "./http/address-rules.ts";
export { boundRunner, type EndSignals, type OpenRun, onAbort, RunHandle, untilEnded, withinLimit } from "./limits.ts";
export { createMcpRunner, type McpResult, type McpServers } from "./model/mcp-runner.ts";
export {
  type AskUser,
  type ContentBlock,
  contextTokens,
  type Model,
  ModelError,
  type ModelErrorKind,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelTool,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "./model/model-port.ts";
export { createAgentRunner, createPromptRunner, type JudgeTools } from "./model/model-runner.ts";
export { createPayloadCopier, type PayloadCopier, wholeCopy } from "./payload-copy.ts";
export { createBroker } from "./process/broker.ts";
export { GitFailure, type GitOptions, git } from "./process/git.ts";
export { atExit, reapOrphans } from "./process/orphans.ts";
export type { StartedProgram } from "./process/process-group.ts";
export { isRunning, PROCESSES, type ProcessIdentity, readStat } from "./process/process-identity.ts";
export type { ProgramEnd } from "./process/program.ts";
export { createLeftovers, openPrograms, type Programs, systemProgram } from "./process/programs.ts";
export { isOutsider, isStartedBySession, othersOn, readAncestry } from "./process/read-run-files.ts";
export { createLazyRunFile, createRunFile, type RunFile } from "./process/run-file.ts";
export { type JsonDocument, type JsonObject, parseDocument } from "./strict-json.ts";
export {
  durationText,
  NO_OUTPUT,
  NoAnswer,
  notRun,
  type RawOutcome,
  type RunFailure,
  type RunInput,
  type Runner,
  thrownText,
} from "./types.ts";
