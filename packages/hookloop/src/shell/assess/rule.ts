import { type Call, clearlyHas, has, operand, type Report } from "./call/call.ts";
import type { FactKind } from "./profiles.ts";

/** One row: when a program is called like this, it would do that. */
export interface Rule {
  /** Names, separated by blanks. */
  readonly programs: string;
  /** What its operands begin with: words separated by blanks, each with alternatives `a|b`, `*` for any, `delete-*` for a prefix. */
  readonly sub?: string;
  /** At least one of these options is given. */
  readonly with?: readonly string[];
  /** None of these options is given. */
  readonly without?: readonly string[];
  readonly when?: (call: Call) => boolean;
  readonly kind: FactKind;
  /** For people, as `it …`. */
  readonly text: string;
}

/** For programs whose words need more than a row. */
export interface Judge {
  readonly programs: string;
  readonly judge: (call: Call, report: Report) => void;
}

/** Options with which most programs only say what they would do. */
export const ONLY_SHOWS: readonly string[] = ["--dry-run", "--dryrun", "--help", "--version"];

type Compiled = Omit<Rule, "programs" | "sub"> & { readonly sub: readonly (readonly string[])[] };

interface Entry {
  readonly rules: Compiled[];
  readonly judges: Judge["judge"][];
}

/** Makes one lookup of many tables: a command only meets the rows of its own program. */
export function compileRules(rows: readonly (Rule | Judge)[]): (call: Call, report: Report) => void {
  const entries = new Map<string, Entry>();
  for (const row of rows) {
    for (const program of row.programs.split(" ")) addRow(entries, program, row);
  }
  return (call, report) => {
    const entry = entries.get(call.name);
    if (!entry) return;
    for (const rule of entry.rules) if (matches(rule, call)) report(rule.kind, rule.text);
    for (const judge of entry.judges) judge(call, report);
  };
}

function addRow(entries: Map<string, Entry>, program: string, row: Rule | Judge): void {
  const entry = entries.get(program) ?? { rules: [], judges: [] };
  entries.set(program, entry);
  if ("judge" in row) entry.judges.push(row.judge);
  else
    entry.rules.push({
      ...row,
      sub: (row.sub ?? "")
        .split(" ")
        .filter(Boolean)
        .map((word) => word.split("|")),
    });
}

function matches({ sub, with: wanted, without, when }: Compiled, call: Call): boolean {
  if (!sub.every((choices, at) => choices.some((choice) => isSame(choice, operand(call, at))))) return false;
  if (wanted && !has(call, ...wanted)) return false;
  if (clearlyHas(call, ...(without ?? ONLY_SHOWS))) return false;
  return when?.(call) ?? true;
}

function isSame(choice: string, text: string): boolean {
  if (text === "") return false;
  if (choice === "*") return true;
  if (choice.startsWith("*")) return text.endsWith(choice.slice(1));
  return choice.endsWith("*") ? text.startsWith(choice.slice(0, -1)) : text === choice;
}
