export { createHooksJsonDialect } from "./hooks-json-dialect.ts";

export { fromHooksJsonInput, fromHooksJsonTool, toHooksJsonInput, toHooksJsonTool } from "./tool-map.ts";
