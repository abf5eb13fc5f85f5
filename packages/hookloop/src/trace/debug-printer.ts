import type { TraceRecord, TraceSink } from "../engine/index.ts";
import type { Redactor } from "./redact.ts";
import { serialise } from "./serialise.ts";

export interface DebugPrinterOptions {
  readonly redactor?: Redactor | undefined;
  readonly print?: ((line: string) => void) | undefined;
}

const DETAIL_LIMIT = 300;

/** Whether `DEBUG` asks for hooks: `hooks`, `hooks:*` or `*` in its list. */
export function wantsDebug(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env["DEBUG"] ?? "").split(/[\s,]+/).some((word) => word === "hooks" || word === "hooks:*" || word === "*");
}

/** Prints records as they come: `hooks #3 +1.2ms PreToolUse verdict user:PreToolUse:ab12 decision="deny"`. */
export function createDebugPrinter({ redactor, print = printToStderr }: DebugPrinterOptions = {}): TraceSink {
  let last: number | undefined;
  return {
    write(record) {
      const since = last === undefined ? 0 : record.mono - last;
      last = record.mono;
      const clean = JSON.parse(serialise(record, redactor)) as TraceRecord;
      print(
        `hooks #${clean.seq} +${since.toFixed(1)}ms ${[clean.event, clean.step, clean.hook].filter(Boolean).map(oneLine).join(" ")}${details(clean)}\n`,
      );
    },
  };
}

function details({
  v: _v,
  seq: _seq,
  t: _t,
  mono: _mono,
  session: _session,
  event: _event,
  step: _step,
  hook: _hook,
  ...rest
}: TraceRecord): string {
  return Object.entries(rest)
    .map(([name, value]) => ` ${oneLine(name)}=${short(JSON.stringify(typeof value === "number" ? Number(value.toFixed(1)) : value))}`)
    .join("");
}

function short(json: string): string {
  return oneLine(json.length > DETAIL_LIMIT ? `${json.slice(0, DETAIL_LIMIT)}…` : json);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const OBEYED_BY_TERMINALS = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** What a terminal would obey is shown as an escape. */
function oneLine(value: unknown): string {
  return String(value).replace(OBEYED_BY_TERMINALS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function printToStderr(line: string): void {
  process.stderr.write(line);
}
