/**
 * Takes a call of one of the agent's tools. Gives a question if it would create, change, rename, link over or delete what decides
 * which hooks and programs run by themselves; undefined if not. Reading is never its business.
 */
import { calledElsewhere, otherSpelling, TOOLS } from "../../catalogue/index.ts";
import { COMMAND_FIELD, commandText, PATH_FIELD, pathTexts } from "../meant-call.ts";
import { realTarget } from "../paths/index.ts";
import { protectedPlaces } from "./places.ts";
import { proposedChange } from "./proposed-change.ts";
import { protectCommand } from "./protect-command.ts";
import { protectedAt } from "./protected-path.ts";
import type { Reached } from "./reach/candidates.ts";
import type { ProtectContext, ProtectedCall, Protection } from "./types.ts";

const MAX_NAMED = 5;

/** SECURITY: the agent's own tools against what guards it; no project setting reaches this. */
export function protect(call: ProtectedCall, context: ProtectContext): Protection | undefined {
  const row = Object.hasOwn(TOOLS, call.tool) ? TOOLS[call.tool as keyof typeof TOOLS] : undefined;
  const meant = otherSpelling(call.tool) ?? calledElsewhere(call.tool);
  const kind = row ? row.kind : (call.kind ?? (meant && TOOLS[meant].kind));
  if (kind === "shell") return protectShell(call, context);
  return kind === "file.write" ? protectFile(call, context, row?.rule?.field) : undefined;
}

function protectShell(call: ProtectedCall, context: ProtectContext): Protection | undefined {
  const commands = Object.entries(call.input).flatMap(([name, value]) => (COMMAND_FIELD.test(name) ? commandText(value) : []));
  const found = commands.flatMap((command) => protectCommand(command, context));
  return found.length === 0 ? undefined : { isProtected: true, decision: "ask", reason: reasonFor(call.tool, found), paths: found };
}

function protectFile(call: ProtectedCall, context: ProtectContext, field: string | undefined): Protection | undefined {
  const places = protectedPlaces(context);
  const named = Object.entries(call.input).flatMap(([name, value]) => (name === field || PATH_FIELD.test(name) ? pathTexts(value) : []));
  const found = named.flatMap((path): readonly Reached[] => {
    const at = protectedAt(realTarget(path, context), places, context);
    return at ? [{ ...at, path }] : [];
  });
  const [first] = found;
  if (!first) return undefined;
  const diff = proposedChange(realTarget(first.path, context).path, call.input);
  return { isProtected: true, decision: "ask", reason: reasonFor(call.tool, found), paths: found, ...(diff ? { diff } : {}) };
}

function reasonFor(tool: string, found: readonly Reached[]): string {
  const named = found.slice(0, MAX_NAMED).map(({ path, what, why }) => `${path} (${what}: ${why})`);
  const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : "";
  return `${tool} would change ${named.join(", ")}${more}. The agent may change this only if you allow it; without somebody to ask it is refused.`;
}
