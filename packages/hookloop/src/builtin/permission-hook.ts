/** The permission check of the teaching loop: a list of commands that never run, and a question before what destroys or leaves the workspace. */

import { ask, deny, type HookHandler } from "@hookloop/sdk";
import { visibleLine } from "../diagnostic.ts";
import type { SessionPlace } from "../engine/index.ts";
import { assessCommand, readingOf } from "../shell/index.ts";
import { type CallEffect, effectOf } from "./call-effect.ts";
import type { ShippedHook } from "./index.ts";
import { crossed } from "./workspace-boundary-hook.ts";

export interface PermissionHookOptions {
  /** Parts of commands that never run. */
  readonly deny?: readonly string[] | undefined;
}

export const DENIED_BY_LIST = "Permission denied by deny list";
export const DENIED_BY_USER = "Permission denied by user";

export function permission(
  { home, directories }: Pick<SessionPlace, "home" | "directories">,
  options: PermissionHookOptions = {},
): ShippedHook {
  const handler: HookHandler<"PreToolUse", string> = ({ tool_name, tool_input, cwd }) => {
    const call = { tool: tool_name, input: tool_input, cwd, home, folders: directories(), list: options.deny };
    const { risk, why } = judgePermission(call);
    if (risk === "deny") return deny(`${DENIED_BY_LIST}: ${why}`);
    return risk === "ask" ? ask(why) : undefined;
  };
  return { name: "permission", parts: [{ event: "PreToolUse", options: { guard: true }, handler }] };
}

/** As the source lists them. */
const DENY_LIST: readonly string[] = ["sudo", "shutdown", "reboot", "mkfs", "dd if="];
/** The source's `rm -rf /`, which there is also the beginning of `rm -rf /tmp/x`. */
const ROOT = /\brm\s+-[a-z]*(?:rf|fr)[a-z]*\s+\/(?:\*|\s|;|&|\||$)/i;
const DESTRUCTIVE = ["rm ", "> /etc/", "chmod 777"];
/** What the source asks about, although it is more than asking for elsewhere. */
const ASKED = ["> /etc/", "chmod 777"];

export interface PermissionQuestion {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly home: string;
  /** The workspace. */
  readonly folders: readonly string[];
  readonly list?: readonly string[] | undefined;
}

export interface JudgedPermission {
  readonly risk: "allow" | "ask" | "deny";
  readonly why: string;
}

const HARMLESS: JudgedPermission = { risk: "allow", why: "" };
const UNREADABLE: JudgedPermission = { risk: "ask", why: "A call that cannot be read" };
const OUTSIDE: JudgedPermission = { risk: "ask", why: "Writing outside workspace" };
const RANK: readonly JudgedPermission["risk"][] = ["deny", "ask", "allow"];

/** SECURITY: a list of texts misses `rm  -rf  /` and `find / -delete`, so a command is also read as the shell would. */
export function judgePermission(question: PermissionQuestion): JudgedPermission {
  const { tool, input, cwd, home, folders, list = DENY_LIST } = question;
  const place = { cwd, home, folders };
  const { commands, writes, ...rest } = effectOf({ tool_name: tool, tool_input: input as never, cwd }, home);
  const isOutside = (effect: Partial<CallEffect>): boolean => crossed({ ...rest, commands: [], writes: [], ...effect }, place).length > 0;
  const judged = [
    ...commands.map((one) => judgeCommand(one.command, { cwd, home, list, isOutside: isOutside({ commands: [one] }) })),
    ...(isOutside({ writes }) ? [OUTSIDE] : []),
    ...(isUnreadable(tool, input, commands.length + writes.length) ? [UNREADABLE] : []),
  ];
  return RANK.map((risk) => judged.find((one) => one.risk === risk)).find(Boolean) ?? HARMLESS;
}

/** Tools that do nothing but write, or run, what their input names: without that, nothing is known. A shell's is `command`. */
function isUnreadable(tool: string, input: unknown, found: number): boolean {
  if (/^(?:bash|shell)$/i.test(tool)) return typeof (input as { readonly command?: unknown } | null)?.command !== "string";
  return found === 0 && /^(?:write_file|edit_file|write|edit|multiedit|notebookedit)$/i.test(tool);
}

interface JudgedCommand extends Pick<PermissionQuestion, "cwd" | "home"> {
  readonly list: readonly string[];
  readonly isOutside: boolean;
}

function judgeCommand(command: string, { cwd, home, list, isOutside }: JudgedCommand): JudgedPermission {
  const listed = list.find((text) => command.includes(text)) ?? (ROOT.test(command) ? "rm -rf /" : undefined);
  if (listed !== undefined) return { risk: "deny", why: `'${listed}'` };
  const { risk, facts } = assessCommand(command, { cwd, home }, readingOf);
  const denied = facts.find((fact) => fact.risk === "deny");
  if (risk === "deny" && !ASKED.some((text) => command.includes(text))) return { risk, why: visibleLine(denied?.text ?? command) };
  const isDestructive = risk === "ask" || isOutside || DESTRUCTIVE.some((text) => command.includes(text));
  return isDestructive ? { risk: "ask", why: "Potentially destructive command" } : HARMLESS;
}
