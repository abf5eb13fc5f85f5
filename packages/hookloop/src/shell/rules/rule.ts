import type { ShellReading, Span } from "../types.ts";
import { type Call, clearlyHas, has, operand, type Report } from "./call.ts";

/** One row: when a program is called like this, it would do that. */
export interface Rule {
  /** Names, separated by blanks. */
  readonly programs: string;
  /** What its operands begin with: for each the alternatives. */
  readonly sub: readonly (readonly string[])[];
  /** At least one of these options is given. */
  readonly with: readonly string[];
  /** None of these options is given. */
  readonly without: readonly string[];
  readonly when: When | undefined;
  readonly kind: FactKind;
  /** For messages, as `it …`. */
  readonly text: string;
}

type When = (call: Call) => boolean;

/** For programs whose words need more than a row. */
export interface Judge {
  readonly programs: string;
  readonly judge: (call: Call, report: Report) => void;
}

/**
 * Rows with one meaning: `programs: words options`. The words are what the operands begin with, each with alternatives (`a|b`), `*` for any,
 * `delete-*` for a prefix; of the options one must be given, and none of those behind a `!`. What is more to ask stands behind the row.
 */
export function rules(kind: FactKind, text: string, ...rows: readonly (string | readonly [row: string, when: When])[]): readonly Rule[] {
  return rows.map((row): Rule => {
    const [pattern, when] = typeof row === "string" ? [row, undefined] : row;
    const [, programs = "", rest = ""] = /^([^:]*):(.*)$/s.exec(pattern) ?? [];
    const words = rest.split(" ").filter(Boolean);
    const without = words.flatMap((word) => (word.startsWith("!") ? [word.slice(1)] : []));
    return {
      programs,
      sub: words.filter((word) => !/^[-!]/.test(word)).map((word) => word.split("|")),
      with: words.filter((word) => word.startsWith("-")),
      without: without.length > 0 ? without : ONLY_SHOWS,
      when,
      kind,
      text,
    };
  });
}

/** That one of the words fits, whichever. */
export function hasWord(pattern: RegExp): When {
  return ({ words }) => words.some(({ text }) => pattern.test(text));
}

/** Options with which most programs only say what they would do. */
const ONLY_SHOWS: readonly string[] = ["--dry-run", "--dryrun", "--help", "--version"];

interface Entry {
  readonly rules: Rule[];
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
  else entry.rules.push(row);
}

function matches({ sub, with: wanted, without, when }: Rule, call: Call): boolean {
  if (!sub.every((choices, at) => choices.some((choice) => isSame(choice, operand(call, at))))) return false;
  if (wanted.length > 0 && !has(call, ...wanted)) return false;
  if (clearlyHas(call, ...without)) return false;
  return when?.(call) ?? true;
}

function isSame(choice: string, text: string): boolean {
  if (text === "") return false;
  if (choice === "*") return true;
  if (choice.startsWith("*")) return text.endsWith(choice.slice(1));
  return choice.endsWith("*") ? text.startsWith(choice.slice(0, -1)) : text === choice;
}

/** How dangerous a command is: run it, ask the user first, do not run it. */
export type Risk = "allow" | "ask" | "deny";

/** How strict the judgement is. */
export type Profile = "standard" | "strict" | "paranoid";

/** One thing that a command would do. */
export interface Fact {
  readonly kind: FactKind;
  /** What it would do, for messages. */
  readonly text: string;
  readonly risk: Risk;
  /** Where the command says so. */
  readonly span: Span;
}

/** A path outside the workspace that a command deletes or overwrites. */
export interface Crossing {
  /** Absolute; absent when only the running shell knows it. */
  readonly path?: string | undefined;
  readonly how: "delete" | "overwrite";
  readonly span: Span;
}

/** Where a command would run, and how strictly it is judged. */
export interface AssessContext {
  readonly cwd: string;
  readonly home: string;
  /** Default `standard`. */
  readonly profile?: Profile | undefined;
  /** The shell that runs it, as `$SHELL` names it; default bash. */
  readonly shell?: string | undefined;
  /** The folder the work belongs to; default `cwd`. */
  readonly workspace?: string | undefined;
}

/** Two separate answers: how dangerous a command is, and whether it reaches out of the workspace. */
export interface Assessment {
  readonly risk: Risk;
  readonly facts: readonly Fact[];
  readonly boundary: readonly Crossing[];
  readonly reading: ShellReading;
}

/** How the profiles judge, from the mildest to the strictest. */
const COURSES = {
  deny: ["deny", "deny", "deny"],
  ask: ["ask", "ask", "deny"],
  "ask, then deny": ["ask", "deny", "deny"],
  "allow, then ask, then deny": ["allow", "ask", "deny"],
  "ask if strict": ["allow", "ask", "ask"],
  "ask if paranoid": ["allow", "allow", "ask"],
} satisfies Readonly<Record<string, readonly [standard: Risk, strict: Risk, paranoid: Risk]>>;

/** What each kind of fact means in each profile. */
const TABLE = {
  // Files and disks
  "delete-vital": "deny",
  "delete-outside": "deny",
  "delete-found": "deny",
  "delete-found-temporary": "allow, then ask, then deny",
  "delete-unknown": "deny",
  "delete-beyond-recovery": "deny",
  "delete-outside-gently": "ask, then deny",
  "delete-work": "deny",
  "delete-tree": "ask",
  "delete-files": "ask if strict",
  "delete-temporary": "ask if paranoid",
  "overwrite-device": "deny",
  "overwrite-system": "deny",
  "overwrite-outside": "ask if strict",
  "empty-file": "ask",
  "mirror-deletes": "deny",
  // Git
  "git-discards-work": "deny",
  "git-rewrites-history": "deny",
  "git-rewrites-topic": "ask, then deny",
  "git-loses-reference": "ask, then deny",
  "git-runs-program": "deny",
  "git-looks-elsewhere": "ask",
  "git-skips-checks": "ask if strict",
  // Code from elsewhere
  "runs-download": "deny",
  "runs-input": "deny",
  "runs-hidden-text": "deny",
  "inline-delete": "ask, then deny",
  "inline-delete-tree": "deny",
  "inline-unknown-command": "deny",
  "runs-helper": "ask",
  "loads-code": "ask, then deny",
  "unusual-program": "ask",
  "impostor-program": "deny",
  "foreign-shell": "deny",
  // Rights
  "opens-permissions": "deny",
  "changes-ownership": "deny",
  "changes-users": "deny",
  "raises-rights": "ask, then deny",
  "takes-over-rights": "deny",
  // Secrets
  "reads-secret": "deny",
  "looks-near-secrets": "ask, then deny",
  "changes-secret": "deny",
  "sends-secret": "deny",
  "sends-file": "ask if strict",
  "reverse-shell": "deny",
  // The machine
  "stops-machine": "deny",
  "kills-broadly": "deny",
  "kills-process": "ask if paranoid",
  "stops-service": "ask, then deny",
  "stops-system-service": "deny",
  "opens-firewall": "deny",
  "starts-at-login": "deny",
  "schedules-work": "ask, then deny",
  "hides-traces": "deny",
  "exhausts-machine": "deny",
  // Services
  "destroys-service": "deny",
  "changes-service": "ask, then deny",
  "destroys-data": "deny",
  "deletes-data": "ask, then deny",
  "publishes-package": "ask, then deny",
  "withdraws-package": "deny",
  "removes-packages": "ask, then deny",
  // What reading cannot tell
  unreadable: "ask, then deny",
  "nested-too-deep": "deny",
  tripwire: "ask, then deny",
} as const;

/** What a fact is about. */
export type FactKind = keyof typeof TABLE;

const COLUMN: Readonly<Record<Profile, 0 | 1 | 2>> = { standard: 0, strict: 1, paranoid: 2 };

export const FACT_KINDS: readonly FactKind[] = Object.keys(TABLE) as FactKind[];

/** How a profile judges a kind of fact. */
export function riskOf(kind: FactKind, profile: Profile): Risk {
  return COURSES[TABLE[kind]][COLUMN[profile]];
}
