export { safetyHook } from "./safety/safety-hook.ts";
export { useShipped } from "./shipped-hook.ts";
export { workspaceBoundaryHook } from "./workspace-boundary/workspace-boundary-hook.ts";
