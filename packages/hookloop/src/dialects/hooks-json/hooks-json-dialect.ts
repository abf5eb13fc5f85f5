import type { Dialect } from "../../engine/interpret/index.ts";
import { readHooksJsonRun } from "./from-output.ts";
import { hooksJsonPayload, hooksJsonVariables, type WriteTempFile } from "./to-env.ts";
import { toHooksJsonTool } from "./tool-map.ts";

export interface HooksJsonOptions {
  /** Called for a tool's input or output that is too large for a variable. */
  readonly writeTempFile: WriteTempFile;
}

/** The dialect of `.hooks.json`, for one engine. */
export function createHooksJsonDialect({ writeTempFile }: HooksJsonOptions): Dialect {
  return {
    name: "hooks-json",
    toolName: toHooksJsonTool,
    toInput: (_event, input) => hooksJsonPayload(input),
    toEnv: (event, input) => hooksJsonVariables(event, input, writeTempFile),
    fromOutput: (row, _event, raw) => readHooksJsonRun(row, raw),
  };
}
