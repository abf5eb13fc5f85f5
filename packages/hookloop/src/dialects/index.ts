import { type Dialects, dialectSet } from "../catalogue/index.ts";
import type { Dialect } from "../judge/index.ts";
import { CLAUDE_DIALECT } from "./claude/claude-dialect.ts";
import { HOOKS_JSON_DIALECT } from "./hooks-json.ts";
import { NATIVE_DIALECT } from "./native.ts";

export { fromHooksJsonInput, toHooksJsonInput, toHooksJsonTool } from "./hooks-json.ts";

/** The dialects that every session knows, and those that the embedding program adds. */
export function createDialects(more: readonly Dialect[] = []): Dialects<Dialect> {
  return dialectSet<Dialect>([NATIVE_DIALECT, CLAUDE_DIALECT, HOOKS_JSON_DIALECT, ...more]);
}
