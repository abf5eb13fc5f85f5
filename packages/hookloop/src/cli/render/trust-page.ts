import { visible, visibleJson, visibleLine } from "../../diagnostic.ts";
import { type HookPins, isSwitch, sealRecord, sealText } from "../../trust/index.ts";
import { wrapText } from "../conversation/screen/text-width.ts";
import { asIs, style } from "../terminal.ts";
import type { ListedHook } from "../trust-desk.ts";
import { table, wrap } from "./table.ts";

const STYLES = {
  trusted: "green",
  managed: "green",
  "definition-only": "yellow",
  new: "yellow",
  changed: "red",
  refused: "red",
  removed: "red",
  unreadable: "red",
  unknown: "red",
  above: "yellow",
} as const;

/** All hooks, one line each. */
export function trustTable(hooks: readonly ListedHook[], columns: number): string {
  const rows = hooks.map(({ hook, state, runs, blocks }) => [
    hook.id,
    state,
    runs ? (hook.never === undefined ? "yes" : "never") : blocks ? "blocks" : "no",
    visibleLine(hook.matcher ?? "*"),
    visibleLine(sealText(hook.name)),
  ]);
  return table({ heading: ["HOOK", "STATE", "RUNS", "MATCHER", "NAME"], rows, columns, title: 4 });
}

/** Everything a person must see before they say yes to a hook. */
export function trustPage(listed: ListedHook, columns: number): string {
  const { hook, state, reason, digest, pins, diff } = listed;
  const line = (label: string, value: string): string =>
    `${style("dim", label.padEnd(LABEL_WIDTH))}${wrap(asIs(visibleLine(value)), columns, " ".repeat(LABEL_WIDTH))}`;
  const code = (text: string): string =>
    text
      .split("\n")
      .flatMap((row) => wrapText(row, columns, "  "))
      .join("\n");
  return [
    wrap(`${style("bold", visibleLine(hook.name))}  ${style(STYLES[state], state)}`, columns),
    line("id", hook.id),
    line("declared", `${hook.place?.file ?? hook.source.file ?? hook.source.scope}${hook.place?.line ? `:${hook.place.line}` : ""}`),
    isSwitch(hook)
      ? line("off", "hooks of the project's and of local files, for every session in this folder")
      : line("event", eventText(hook)),
    ...Object.entries(pins?.record.fields ?? {}).map(([name, value]) =>
      line(name, typeof value === "string" ? value : JSON.stringify(value)),
    ),
    ...Object.entries(pins?.record.programs ?? {}).map(([name, where]) => line("program", name === where ? name : `${name} = ${where}`)),
    ...(pins?.record.files ?? []).map(({ path, realpath, sha256, isOutside }) =>
      line("file", isOutside ? `${path} (outside the project: not shown)` : `${path} (${sha256.slice(0, 12)}) ${realpath}`),
    ),
    ...(pins?.foreign ?? []).map((text) => line("FOREIGN", text)),
    ...(pins?.unresolved ?? []).map((text) => line("NOT PINNED", text)),
    ...(digest ? [line("digest", digest)] : []),
    ...(reason ? [line("", reason)] : []),
    ...(diff
      ? ["", style("bold", "What changed since it was approved:"), code(colouredDiff(diff))]
      : state === "new"
        ? contents(pins).map(code)
        : []),
  ].join("\n");
}

/** A reason for whoever reads it in the review that it sends them to. */
export function withoutReview(reason: string): string {
  return reason.replace(/ ?(?:Undo the change, or )?(?:look at (?:it|them)|review it): hookloop trust review\.?/gi, "").trim();
}

/** What comes of no answer. */
export function leftText({ hook, blocks }: Pick<ListedHook, "hook" | "blocks">): string {
  if (isSwitch(hook)) return "Left as it is; the gates block what they match.";
  return `Left as it is; it ${blocks ? "blocks what it matches" : "does not run"}.`;
}

function eventText({ event, matcher, condition }: ListedHook["hook"]): string {
  return `${event}${matcher === undefined ? "" : `, matcher ${matcher}`}${condition ? `, if ${condition}` : ""}`;
}

const LABEL_WIDTH = 11;
const SHOWN_LINES = 60;

/** What nobody has seen yet is shown: the bytes that a yes is about. */
function contents(pins: ListedHook["pins"]): readonly string[] {
  return (pins?.record.files ?? []).flatMap(({ path, sha256 }) => {
    const text = pins?.texts.get(sha256);
    if (text === undefined) return [];
    const lines = asIs(visible(text)).trimEnd().split("\n");
    const rest = lines.length > SHOWN_LINES ? [style("dim", `… ${lines.length - SHOWN_LINES} more lines`)] : [];
    return ["", style("bold", `${visibleLine(path)}:`), ...lines.slice(0, SHOWN_LINES), ...rest];
  });
}

export function colouredDiff(diff: string): string {
  return visible(diff)
    .split("\n")
    .map((line) => {
      // Of all that a diff has, only the sign of what was left out is ours.
      if (line.startsWith("…")) return line;
      const shown = asIs(line);
      return line.startsWith("+") ? style("green", shown) : line.startsWith("-") ? style("red", shown) : shown;
    })
    .join("\n");
}

/** What the commands print as JSON. For a review everything is there that a yes is about; elsewhere tokens and header values are left out. */
export function hooksJson(hooks: readonly ListedHook[], use: "list" | "review" = "list"): string {
  return visibleJson(hooks.map((listed) => (use === "review" ? summary(listed) : sealedSummary(listed))));
}

/** The same for one hook, with what was done to it. */
export function hookJson(listed: ListedHook, more: Readonly<Record<string, unknown>> = {}): string {
  return visibleJson({ ...sealedSummary(listed), ...more });
}

function sealedSummary(listed: ListedHook): object {
  const { pins, diff, hook } = listed;
  return {
    ...summary(listed),
    name: sealText(hook.name),
    definition: pins && shownRecord(sealRecord(pins.record)),
    unresolved: pins?.unresolved.map(sealText),
    diff: diff === undefined ? undefined : sealText(diff).replace(/^([+-] headers): .*/gm, "$1: (see hookloop trust review)"),
  };
}

/** SECURITY: a project names what it likes; the digest of a file of the user is not for whoever reads the list. */
function shownRecord(record: HookPins["record"]): object {
  return { ...record, files: record.files.map((file) => (file.isOutside ? { ...file, sha256: undefined } : file)) };
}

function summary({ hook, state, runs, blocks, reason, digest, pins, diff }: ListedHook): object {
  const { id, name, event, matcher, place, source } = hook;
  return {
    id,
    name,
    state,
    runs,
    blocks,
    reason,
    event,
    matcher,
    scope: source.scope,
    file: place?.file,
    line: place?.line,
    digest,
    definition: pins && shownRecord(pins.record),
    unresolved: pins?.unresolved,
    diff,
  };
}
