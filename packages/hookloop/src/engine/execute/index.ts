export { onAbort } from "./abort-listeners.ts";
export { boundRunner } from "./bounded-runner.ts";
export { type Broker, type BrokerOptions, createBroker } from "./broker/index.ts";
export { type CommandPorts, createCommandRunner } from "./command-runner.ts";
export { dataCopy, frozenCopy, inputCopy, isInputObject, isPlainObject } from "./data-copy.ts";
export { createEnvFile, type EnvFile } from "./env-file/index.ts";
export {
  explainWithheld,
  isModelKey,
  sensitivityOf,
  snapshotEnvironment,
} from "./environment/index.ts";
export { durationText, NO_OUTPUT, NoAnswer, notRun, threwText, thrownText } from "./failures.ts";
export { createFunctionRunner } from "./function-runner.ts";
// The http runner itself is loaded by the first hook that needs it: it brings Node's http modules along.
export {
  createWebhookVerifier,
  type ReceivedWebhook,
  type WebhookRefusal,
  type WebhookVerifier,
  type WebhookVerifierOptions,
} from "./http/webhook-verifier.ts";
export { createSlots } from "./limits.ts";
export { callFunction, Misread, startWaiting, type TellGuard, Unreturned, watchedGuard, watchResults } from "./made-results.ts";
export { createMcpRunner, type McpResult, type McpServers } from "./mcp/index.ts";
export {
  type AskUser,
  type ContentBlock,
  createAgentRunner,
  createPromptRunner,
  type JudgeTools,
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
} from "./model/index.ts";
export {
  atExit,
  createLazyRunFile,
  createLeftovers,
  createRunFile,
  isOutsider,
  isRunning,
  isStartedBySession,
  openPrograms,
  othersOn,
  type ProcessIdentity,
  type ProgramEnd,
  type Programs,
  type RunFile,
  readAncestry,
  readStat,
  reapOrphans,
  runProgram,
  type StartedProgram,
  systemProgram,
} from "./process/index.ts";
export type { RawOutcome, RunFailure, RunInput, Runner } from "./types.ts";
export type { WarmOptions } from "./warm/warm-pool.ts";
