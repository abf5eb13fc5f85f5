export { allDefinitions, findDefinitions } from "./definitions.ts";
export { isOff } from "./load-instructions.ts";
export { type AgentSession, checkSession, openSession } from "./open-session.ts";
export type { HeadlessFlags, Looked, Looker } from "./run-headless.ts";
export { type AgentFlags, CannotStart, isWatched, onEndSignal } from "./session-options.ts";
export { endText, isToldAlready, type TurnEnd } from "./submit-prompt.ts";
export { editProblem } from "./tools/files.ts";
export { type EarlierSession, listTranscripts, promptText, readTranscript } from "./transcript.ts";
export { type LoopStep, messageOf, textOf } from "./types.ts";
