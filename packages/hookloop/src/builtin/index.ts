export { safetyHook } from "./safety-hook.ts";
export { useShipped } from "./shipped-hook.ts";
export { workspaceBoundaryHook } from "./workspace-boundary-hook.ts";
