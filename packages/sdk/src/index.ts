export * from "./hook/index.ts";
export * from "./s4/emit.ts";
export {loadHookInput} from "./s4/invocation.ts";
export * from "./s4/run-hook.ts";
export * from "./s4/log.ts";
