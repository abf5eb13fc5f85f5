import path from "node:path";
import { EVENTS } from "../../catalogue/index.ts";
import { type Dialect, isObject } from "../../judge/index.ts";

type About = Parameters<Dialect["input"]["variables"]>[0];

/** Variables that Claude Code gives its hooks, and ours beside them. `CLAUDE_ENV_FILE` is added by the engine, which owns the file. */
export function claudeVariables({ event, input, hook, session }: About): Readonly<Record<string, string>> {
  const { projectRoot, entrypoint = "hookloop", pluginDataRoot, pluginOptions } = session;
  const sessionId = textOf(input["session_id"]);
  const { plugin, skill } = hook.source;
  const effort = EVENTS[event].carries.includes("effort") && isObject(input["effort"]) ? textOf(input["effort"]["level"]) : undefined;
  return withoutGaps({
    ...optionVariables(plugin && pluginOptions?.[plugin.id]),
    CLAUDECODE: "1",
    CLAUDE_PROJECT_DIR: projectRoot,
    CLAUDE_CODE_SESSION_ID: sessionId,
    CLAUDE_CODE_ENTRYPOINT: entrypoint,
    CLAUDE_PLUGIN_ROOT: plugin?.root ?? skill?.root,
    CLAUDE_PLUGIN_DATA: plugin && pluginDataRoot ? path.join(pluginDataRoot, folderName(plugin.id)) : undefined,
    CLAUDE_EFFORT: effort,
    HOOKLOOP_PROJECT_DIR: projectRoot,
    HOOKLOOP_SESSION_ID: sessionId,
    // The SDK compares it with what the script is for.
    HOOKLOOP_MATCHER: hook.matcher || undefined,
  });
}

function optionVariables(options: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const name = (key: string): string => `CLAUDE_PLUGIN_OPTION_${key.toUpperCase().replace(/\W/g, "_")}`;
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [name(key), String(value)]));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A variable with a NUL in it makes spawn throw, so it is left out like one without a value. */
function withoutGaps(variables: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined && !entry[1].includes("\0")),
  );
}

// SECURITY: a plugin's id is the plugin's own word; it must not leave the folder.
function folderName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9_-]/g, "-");
  return name === "" ? "-" : name;
}
