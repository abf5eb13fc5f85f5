export { safetyHook } from "./safety-hook.ts";
export { useNamed, useShipped } from "./shipped-hook.ts";
export { workspaceBoundaryHook } from "./workspace-boundary-hook.ts";
