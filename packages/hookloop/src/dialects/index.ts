export { createClaudeDialect } from "./claude/claude-dialect.ts";
export { createHooksJsonDialect } from "./hooks-json.ts";
export { createNativeDialect } from "./native.ts";
