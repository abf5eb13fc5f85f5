export { createHooksJsonDialect, type HooksJsonOptions } from "./hooks-json-dialect.ts";
export type { WriteTempFile } from "./to-env.ts";
export { fromHooksJsonInput, fromHooksJsonTool, HOOKS_JSON_TOOL_NAMES, toHooksJsonInput, toHooksJsonTool } from "./tool-map.ts";
