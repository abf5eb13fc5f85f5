/** What the conversation's own commands print. */

import type { RegisteredHook } from "../../../config/index.ts";
import { LOOKED_FOR } from "../../../config/index.ts";
import type { Diagnostic } from "../../../diagnostic.ts";
import { counted, ownCommand } from "../../../diagnostic.ts";
import { MODES, type Permissions, type RuleList } from "../../../permissions/index.ts";
import type { RefusedHook } from "../../../trust/index.ts";
import { style } from "../../terminal.ts";
import { wrapText } from "../screen/text-width.ts";
import type { Shorten } from "../show/short-paths.ts";
import { ruleLine, whereOf } from "./why.ts";

/** What keeps hooks out of the list. */
const ABOVE: readonly string[] = ["HL_CONFIG_ABOVE", "HL_TRUST_GATE_ABOVE", "HL_CONFIG_UNKNOWN_EVENT"];

/** Every hook, by event: from where, for what, and whether it would run if its event came now. */
export function hooksPage({ admitted, idle, diagnostics = [], problemOf }: HooksNow, shorten: Shorten): readonly string[] {
  const off = new Map(idle.map((one) => [one.hook.id, one]));
  const all = [...admitted.filter(({ id }) => !off.has(id)), ...idle.map(({ hook }) => hook)];
  const above = diagnostics.filter(({ code }) => ABOVE.includes(code)).map(({ text }) => style("yellow", shorten(text)));
  if (all.length === 0 && above.length > 0) return ["No hooks count in this folder.", ...above];
  if (all.length === 0)
    return [
      `No hooks are configured here. They are read from ${LOOKED_FOR}. \`${ownCommand()} events\` lists what there is to hang one on.`,
    ];
  const problems = new Map(all.flatMap((hook) => (off.has(hook.id) ? [] : [[hook.id, hook.never ?? problemOf?.(hook)] as const])));
  const never = all.filter((hook) => !off.has(hook.id) && hook.never !== undefined).length;
  const broken = [...problems.values()].filter((problem) => problem !== undefined).length - never;
  const events = [...new Set(all.map(({ event }) => event))];
  const blocks = events.flatMap((event) => [
    style("bold", event),
    ...all
      .filter((hook) => hook.event === event)
      .flatMap((hook) => hookLines(hook, { refused: off.get(hook.id), problem: problems.get(hook.id) }, shorten)),
  ]);
  const shut = idle.filter((one) => one.blocks).length;
  const most = idle.length > 0 ? `${idle.length} will not run.` : broken + never > 0 ? "" : "all will run.";
  const neverText = never === 0 ? "" : `${idle.length > 0 ? " " : ""}${never} cannot run for all that it names.`;
  const brokenText = broken === 0 ? "" : `${idle.length + never > 0 ? " " : ""}${broken} will fail every time.`;
  const shutText = shut === 0 ? "" : shut === 1 ? " 1 blocks what it matches." : ` ${shut} block what they match.`;
  return [...blocks, ...above, `${counted(all.length, "hook")}, ${most}${neverText}${brokenText}${shutText}`];
}

/** What the session's hooks are in this moment. */
export interface HooksNow {
  readonly admitted: readonly RegisteredHook[];
  /** Those that would not run. */
  readonly idle: readonly RefusedHook[];
  /** What was wrong with the configuration. */
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  /** Why a hook would fail every time. */
  readonly problemOf?: ((hook: RegisteredHook) => string | undefined) | undefined;
}

interface HookState {
  readonly refused: RefusedHook | undefined;
  readonly problem: string | undefined;
}

function hookLines(hook: RegisteredHook, { refused, problem }: HookState, shorten: Shorten): readonly string[] {
  const filter = [hook.matcher && `matcher ${hook.matcher}`, hook.condition && `if ${hook.condition}`, hook.isGuard && "guard"].filter(
    Boolean,
  );
  const mark = refused ? style("red", "✗") : problem === undefined ? style("green", "✓") : style("yellow", "!");
  return [
    `  ${mark} ${shorten(hook.name).replaceAll("\n", " ")}${filter.length > 0 ? style("dim", `  ${shorten(filter.join(", "))}`) : ""}`,
    `    ${style("dim", shorten(whereOf(hook)))}`,
    ...(refused ? [`    ${style("red", `will not run: ${shorten(refused.text)}`)}`] : []),
    ...(problem === undefined
      ? []
      : [`    ${style("yellow", `${hook.never === undefined ? "will fail every time" : "will not run"}: ${shorten(problem)}`)}`]),
  ];
}

const LISTS: readonly RuleList[] = ["deny", "ask", "allow"];

export function permissionsPage({ mode, rules, directories }: Permissions): readonly string[] {
  const lines = LISTS.flatMap((list) => rules[list].map((rule) => `  ${ruleLine(rule)}`));
  return [
    `Mode: ${mode}. Change it with /permissions MODE: ${MODES.join(", ")}.`,
    ...(lines.length > 0
      ? ["Rules, strictest first:", ...lines]
      : [
          "No rules: what provably only reads in this folder runs; everything else is asked about, git too, since its settings can start programs.",
        ]),
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
  const isNarrow = columns < TWO_COLUMNS;
  const indent = isNarrow ? 4 : Math.min(24, Math.max(...heads.map((head) => head.length))) + 2;
  const lines = commands.flatMap(({ description }, at): readonly string[] => {
    const head = heads[at] ?? "";
    const about = wrapText(shorten(description), columns - indent).map((line) => `${" ".repeat(indent)}${style("dim", line)}`);
    const isBeside = !isNarrow && head.length + 2 <= indent;
    return isBeside ? [`${head.padEnd(indent)}${about[0]?.slice(indent) ?? ""}`, ...about.slice(1)] : [head, ...about];
  });
  return [
    ...lines,
    "",
    "@ and a file's name, then Tab: a path. A \\ at the end of a line, or Alt-Enter: one more line.",
    "! and a line: run it in the shell yourself, with your hooks around it; the model sees what it printed.",
    "Up and down: what you typed before. Shift-Tab: the next permission mode.",
    "Esc or Ctrl-C: stop; Ctrl-C twice: leave. Ctrl-D: leave.",
  ];
}
