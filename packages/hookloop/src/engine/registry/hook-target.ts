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

/** What people call the hook: its own name, or the start of what it runs. */
export function hookName({ kind, fields, setting }: HookDeclaration): string {
  const text = (name: string): string => (typeof fields[name] === "string" ? String(fields[name]) : "");
  if (text("name").trim() !== "") return text("name").trim();
  const args = Array.isArray(fields["args"]) ? ` ${fields["args"].join(" ")}` : "";
  const server = text("server") && `${text("server")}/${text("tool")}`;
  const whole = text("command") + args || text("url") || text("path") || server || text("prompt") || kind;
  const line = `${setting === undefined ? "" : `${setting}: `}${whole}`.replace(/\s+/g, " ").trim();
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 1)}…` : line;
}
