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

/** What a fact is about. */
export type FactKind =
  | "delete-vital"
  | "delete-outside"
  | "delete-found"
  | "delete-found-temporary"
  | "delete-unknown"
  | "delete-beyond-recovery"
  | "delete-outside-gently"
  | "delete-work"
  | "delete-tree"
  | "delete-files"
  | "delete-temporary"
  | "overwrite-device"
  | "overwrite-system"
  | "overwrite-outside"
  | "empty-file"
  | "mirror-deletes"
  | "git-discards-work"
  | "git-rewrites-history"
  | "git-rewrites-topic"
  | "git-loses-reference"
  | "git-runs-program"
  | "git-looks-elsewhere"
  | "git-skips-checks"
  | "runs-download"
  | "runs-input"
  | "runs-hidden-text"
  | "inline-delete"
  | "inline-delete-tree"
  | "inline-unknown-command"
  | "runs-helper"
  | "loads-code"
  | "unusual-program"
  | "impostor-program"
  | "foreign-shell"
  | "takes-over-rights"
  | "opens-permissions"
  | "changes-ownership"
  | "changes-users"
  | "raises-rights"
  | "reads-secret"
  | "looks-near-secrets"
  | "changes-secret"
  | "sends-secret"
  | "sends-file"
  | "reverse-shell"
  | "stops-machine"
  | "kills-broadly"
  | "kills-process"
  | "stops-service"
  | "stops-system-service"
  | "opens-firewall"
  | "starts-at-login"
  | "schedules-work"
  | "hides-traces"
  | "exhausts-machine"
  | "destroys-service"
  | "changes-service"
  | "destroys-data"
  | "deletes-data"
  | "publishes-package"
  | "withdraws-package"
  | "removes-packages"
  | "unreadable"
  | "nested-too-deep"
  | "tripwire";

type Row = readonly [standard: Risk, strict: Risk, paranoid: Risk];

const DENY: Row = ["deny", "deny", "deny"];
const ASK: Row = ["ask", "ask", "deny"];
const ASK_THEN_DENY: Row = ["ask", "deny", "deny"];
const ASK_IF_STRICT: Row = ["allow", "ask", "ask"];
const ASK_IF_PARANOID: Row = ["allow", "allow", "ask"];

/** What each kind of fact means in each profile. */
const TABLE: Readonly<Record<FactKind, Row>> = {
  // Files and disks
  "delete-vital": DENY,
  "delete-outside": DENY,
  "delete-found": DENY,
  "delete-found-temporary": ["allow", "ask", "deny"],
  "delete-unknown": DENY,
  "delete-beyond-recovery": DENY,
  "delete-outside-gently": ASK_THEN_DENY,
  "delete-work": DENY,
  "delete-tree": ASK,
  "delete-files": ASK_IF_STRICT,
  "delete-temporary": ASK_IF_PARANOID,
  "overwrite-device": DENY,
  "overwrite-system": DENY,
  "overwrite-outside": ASK_IF_STRICT,
  "empty-file": ASK,
  "mirror-deletes": DENY,
  // Git
  "git-discards-work": DENY,
  "git-rewrites-history": DENY,
  "git-rewrites-topic": ASK_THEN_DENY,
  "git-loses-reference": ASK_THEN_DENY,
  "git-runs-program": DENY,
  "git-looks-elsewhere": ASK,
  "git-skips-checks": ASK_IF_STRICT,
  // Code from elsewhere
  "runs-download": DENY,
  "runs-input": DENY,
  "runs-hidden-text": DENY,
  "inline-delete": ASK_THEN_DENY,
  "inline-delete-tree": DENY,
  "inline-unknown-command": DENY,
  "runs-helper": ASK,
  "loads-code": ASK_THEN_DENY,
  "unusual-program": ASK,
  "impostor-program": DENY,
  "foreign-shell": DENY,
  // Rights
  "opens-permissions": DENY,
  "changes-ownership": DENY,
  "changes-users": DENY,
  "raises-rights": ASK_THEN_DENY,
  "takes-over-rights": DENY,
  // Secrets
  "reads-secret": DENY,
  "looks-near-secrets": ASK_THEN_DENY,
  "changes-secret": DENY,
  "sends-secret": DENY,
  "sends-file": ASK_IF_STRICT,
  "reverse-shell": DENY,
  // The machine
  "stops-machine": DENY,
  "kills-broadly": DENY,
  "kills-process": ASK_IF_PARANOID,
  "stops-service": ASK_THEN_DENY,
  "stops-system-service": DENY,
  "opens-firewall": DENY,
  "starts-at-login": DENY,
  "schedules-work": ASK_THEN_DENY,
  "hides-traces": DENY,
  "exhausts-machine": DENY,
  // Services
  "destroys-service": DENY,
  "changes-service": ASK_THEN_DENY,
  "destroys-data": DENY,
  "deletes-data": ASK_THEN_DENY,
  "publishes-package": ASK_THEN_DENY,
  "withdraws-package": DENY,
  "removes-packages": ASK_THEN_DENY,
  // What reading cannot tell
  unreadable: ASK_THEN_DENY,
  "nested-too-deep": DENY,
  tripwire: ASK_THEN_DENY,
};

const COLUMN: Readonly<Record<Profile, 0 | 1 | 2>> = { standard: 0, strict: 1, paranoid: 2 };

export const FACT_KINDS: readonly FactKind[] = Object.keys(TABLE) as FactKind[];

/** How a profile judges a kind of fact. */
export function riskOf(kind: FactKind, profile: Profile): Risk {
  return TABLE[kind][COLUMN[profile]];
}
