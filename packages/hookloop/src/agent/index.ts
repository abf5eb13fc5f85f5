export { runDemo } from "./demo/run-demo.ts";
export { type HeadlessFlags, type HeadlessIo, runHeadless } from "./headless/run-headless.ts";
export { splitRules } from "./session/agent-flags.ts";
