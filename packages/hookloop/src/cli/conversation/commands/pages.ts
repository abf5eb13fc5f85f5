/** What the conversation's own commands print. */
import type { HookEngine } from "../../../engine/hook-engine.ts";
import type { RegisteredHook } from "../../../engine/registry/index.ts";
import type { Permissions, RuleList } from "../../../permissions/index.ts";
import { style } from "../../terminal.ts";
import type { Shorten } from "../show/short-paths.ts";
import { ruleLine, whereOf } from "./why.ts";

/** Every hook, by event: from where, for what, and whether it will run. */
export function hooksPage({ admitted, refused }: Pick<HookEngine, "admitted" | "refused">, shorten: Shorten): readonly string[] {
  const all = [...admitted.map((hook) => ({ hook, reason: undefined })), ...refused.map(({ hook, text }) => ({ hook, reason: text }))];
  if (all.length === 0) return ["No hooks are configured here. `hookloop events` lists what there is to hang one on."];
  const events = [...new Set(all.map(({ hook }) => hook.event))];
  const blocks = events.flatMap((event) => [
    style("bold", event),
    ...all.filter(({ hook }) => hook.event === event).flatMap(({ hook, reason }) => hookLines(hook, reason, shorten)),
  ]);
  const off = refused.length === 0 ? "all will run." : `${refused.length} will not run.`;
  return [...blocks, `${all.length} ${all.length === 1 ? "hook" : "hooks"}, ${off}`];
}

function hookLines(hook: RegisteredHook, reason: string | undefined, shorten: Shorten): readonly string[] {
  const filter = [hook.matcher && `matcher ${hook.matcher}`, hook.condition && `if ${hook.condition}`, hook.isGuard && "guard"].filter(
    Boolean,
  );
  const mark = reason === undefined ? style("green", "✓") : style("red", "✗");
  return [
    `  ${mark} ${shorten(hook.name).replaceAll("\n", " ")}${filter.length > 0 ? style("dim", `  ${shorten(filter.join(", "))}`) : ""}`,
    `    ${style("dim", shorten(whereOf(hook)))}`,
    ...(reason === undefined ? [] : [`    ${style("red", `will not run: ${shorten(reason)}`)}`]),
  ];
}

const LISTS: readonly RuleList[] = ["deny", "ask", "allow"];

export function permissionsPage({ mode, rules, directories }: Permissions): readonly string[] {
  const lines = LISTS.flatMap((list) => rules[list].map((rule) => `  ${ruleLine(rule)}`));
  return [
    `Mode: ${mode}. Another one: /permissions MODE`,
    ...(lines.length > 0 ? ["Rules, strictest first:", ...lines] : ["No rules: whatever changes something is asked about."]),
    ...(directories.length > 0 ? [`Folders besides this one: ${directories.join(", ")}`] : []),
  ];
}

export interface CommandHelp {
  readonly name: string;
  readonly usage?: string | undefined;
  readonly description: string;
}

/** Two columns where they fit, else what it does below what is typed. */
const TWO_COLUMNS = 60;

export function helpPage(
  commands: readonly CommandHelp[],
  { columns, shorten }: { readonly columns: number; readonly shorten: Shorten },
): readonly string[] {
  const heads = commands.map(({ name, usage }) => `/${name}${usage ? ` ${usage}` : ""}`);
  const width = Math.min(24, Math.max(...heads.map((head) => head.length)));
  const gap = (head: string): string => (columns < TWO_COLUMNS ? "\n    " : " ".repeat(Math.max(2, width + 2 - head.length)));
  return [
    ...commands.map(({ description }, at) => `${heads[at]}${gap(heads[at] ?? "")}${style("dim", shorten(description))}`),
    "",
    "@ and a file's name, then Tab: a path. A \\ at the end of a line, or Alt-Enter: one more line.",
    "Up and down: what you typed before. Ctrl-C: stop; twice: leave. Ctrl-D: leave.",
  ];
}
