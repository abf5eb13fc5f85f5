import path from "node:path";
import { scriptOfCommand } from "../config/index.ts";
import type { HookDeclaration } from "../config/types.ts";
import type { HookTarget } from "./types.ts";

type Command = Extract<HookTarget, { kind: "command" }>;
const MAX_NAME = 60;

/** What the hook runs. */
export function hookTarget({ kind, fields, unreadable }: HookDeclaration): HookTarget {
  if (unreadable !== undefined) return { kind: "withheld" };
  if (kind !== "command") return { kind, fields };
  const { command, args, shell } = fields as unknown as Partial<Command> & { readonly command: string };
  return { kind, command, args, shell: shell ?? "sh" };
}

/** What people call the hook: its own name, the script they wrote for it, or the start of what it runs. */
export function hookName({ kind, fields, setting }: HookDeclaration): string {
  const text = (name: string): string => (typeof fields[name] === "string" ? String(fields[name]) : "");
  if (text("name").trim() !== "") return text("name").trim();
  const script = setting === undefined ? scriptName(kind, fields) : undefined;
  if (script !== undefined) return script;
  const args = Array.isArray(fields["args"]) ? ` ${fields["args"].join(" ")}` : "";
  const server = text("server") && `${text("server")}/${text("tool")}`;
  const whole = text("command") + args || text("url") || text("path") || server || text("prompt") || kind;
  const line = `${setting === undefined ? "" : `${setting}: `}${whole}`.replace(/\s+/g, " ").trim();
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 1)}…` : line;
}

/** Where a script lies does not matter for its name. */
const PLACES = { HOME: "~", CLAUDE_PROJECT_DIR: ".", HOOKLOOP_PROJECT_DIR: ".", CLAUDE_PLUGIN_ROOT: "." };
/** Words behind the script tell two uses of it apart, if they are few and plain. */
const PLAIN_WORDS = /^[\w@%+=:,./ -]{1,24}$/;

function scriptName(kind: string, fields: HookDeclaration["fields"]): string | undefined {
  if (kind === "module") return path.basename(String(fields["path"])) || undefined;
  const { command, args } = fields;
  if (kind !== "command" || typeof command !== "string") return undefined;
  const script = scriptOfCommand({ command, args: Array.isArray(args) ? args.map(String) : undefined }, PLACES);
  const name = script && path.basename(script.path);
  if (!name || name.length > MAX_NAME) return undefined;
  const line = Array.isArray(args) ? args.join(" ") : command;
  const rest = line
    .slice(line.lastIndexOf(name) + name.length)
    .replace(/^["']/, "")
    .trim();
  return PLAIN_WORDS.test(rest) ? `${name} ${rest}` : name;
}
