export { isOff } from "./definitions/index.ts";
export { type DemoPlace, runDemo } from "./demo/run-demo.ts";
export { type HeadlessFlags, runHeadless } from "./headless/run-headless.ts";
export type { LoopStep } from "./loop-types.ts";
export type { AgentFlags } from "./session/agent-flags.ts";
export { CannotStart } from "./session/cannot-start.ts";
export { type AgentSession, checkSession, openSession } from "./session/open-session.ts";
export { editProblem } from "./tools/files/edit.ts";
export { type EarlierSession, listTranscripts, promptText, readTranscript } from "./transcript/read-transcript.ts";
