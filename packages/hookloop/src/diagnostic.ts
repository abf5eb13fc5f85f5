import { accessSync, constants, realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ErrorCode } from "./errors.ts";

/** Where something stands; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Something the user should know: what, where, and what to do. Nothing in hookloop fails without one. */
export interface Diagnostic {
  readonly code: ErrorCode;
  /** `error`: something does not work. `warning`: it works, but not as written. `notice`: worth knowing. */
  readonly level: "error" | "warning" | "notice";
  /** What is wrong and what to do, without code and place. */
  readonly text: string;
  readonly place?: Place | undefined;
  /** Id of the hook it is about. */
  readonly hook?: string | undefined;
}

/** One line: `CODE: text (file:line:column)`. */
export function diagnosticLine({ code, text, place, hook }: Diagnostic): string {
  const where = place ? placeText(place) : hook;
  return `${code}: ${withOwnCommand(text)}${where ? ` (${where})` : ""}`;
}

export function placeText({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** Hooks that are not approved which are named one by one; whoever has more of them reads a count. */
const MOST_NAMED = 5;

interface Digest {
  report(diagnostic: Diagnostic): void;
  /** All have been reported: says how many more there were. What comes later is passed on as it is. */
  flush(): void;
}

/** For the terminal: a checkout may bring a hundred hooks that are not approved, and a hundred lines hide everything else. */
export function digestUntrusted(report: (diagnostic: Diagnostic) => void): Digest {
  let named = 0;
  let isOver = false;
  const more = new Map<string, number>();
  return {
    report(diagnostic) {
      const isUntrusted = diagnostic.code === "HL_ADMIT_UNTRUSTED" && !isOver;
      if (!isUntrusted || named++ < MOST_NAMED) return report(diagnostic);
      const event = diagnostic.hook?.split(":")[1] ?? "other";
      more.set(event, (more.get(event) ?? 0) + 1);
    },
    flush() {
      isOver = true;
      const count = [...more.values()].reduce((sum, one) => sum + one, 0);
      if (count === 0) return;
      const events = [...more].map(([event, times]) => `${event} ${times}`).join(", ");
      const what = `${counted(count, "more hook is not approved and does", "more hooks are not approved and do")} not run (${events})`;
      report({
        code: "HL_ADMIT_UNTRUSTED",
        level: "warning",
        text: `${what}. All of them: hookloop trust. Look at them: hookloop trust review`,
      });
      more.clear();
    },
  };
}

/** `1 message`, `2 messages`; another plural where an s is not enough. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A quoted text inside a sentence of ours, which continues after it: without its own end. */
export function clause(text: string): string {
  return text.trimEnd().replace(/(?:(?<!\.)\.|[;:,])$/, "");
}

/** A quoted text and what follows from it, in one sentence unless the quote is a sentence already. */
export function withConsequence(text: string, consequence: string): string {
  const said = clause(text);
  return /[?!]$/.test(said) ? `${said} ${consequence.charAt(0).toUpperCase()}${consequence.slice(1)}` : `${said}; ${consequence}`;
}

/** A quoted text as a sentence of its own. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`;
}

/** What is said behind the name of whoever says it: without the name, if it begins with that. */
export function afterName(name: string, text: string): string {
  return name !== "" && text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text;
}

/** What became of a run ("it did not end within 5 s", "the run was cancelled"), told of what was run. */
export function toldOf(subject: string, end: string): string {
  const [, rest] = /^(?:it|the run) (.*)$/s.exec(end) ?? [];
  return rest === undefined ? `${subject} failed: ${end}` : `${subject} ${rest}`;
}

/** Controls, direction marks, blanks without width and the like: what makes a terminal show something else than what is there. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]/gu;

/** Of these, those that a terminal obeys. */
const OBEYED = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Untrusted text for a terminal: every hidden character is escaped, as in JSON. */
export function visible(text: string): string {
  return escaped(text, HIDDEN);
}

/** Text that a terminal can show: marks that belong to letters and emoji stay. */
export function terminalText(text: string): string {
  return escaped(text, OBEYED);
}

function escaped(text: string, hidden: RegExp): string {
  return text.replace(hidden, (found) =>
    found
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** JSON in which nothing is hidden; it is the same value. */
export function visibleJson(value: unknown): string {
  return visible(JSON.stringify(value, null, 2));
}

/** Folders that npm and npx put on the path of what they start; a shell does not have them. */
const OF_NPM = /[\\/]node_modules[\\/]\.bin[\\/]?$/;
const BIN = "bin/hookloop.js";
let known: { readonly searched: string; readonly folder: string; readonly command: string } | undefined;

/**
 * How the user starts hookloop in a shell: by its name if it is on the path, with npx if that finds the package that runs, as after the
 * documented installation. SECURITY: npx prefers the folder it is called in, and in a checkout that would be a program of the checkout: then by its path.
 */
export function ownCommand(searched: string = process.env["PATH"] ?? "", folder: string = workingFolder()): string {
  if (known?.searched !== searched || known.folder !== folder)
    known = { searched, folder, command: isOnPath(searched) ? "hookloop" : (byPath(folder) ?? "npx hookloop") };
  return known.command;
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    // It was removed: nothing is found from there.
    return "/";
  }
}

/** The path of the program that runs, from the folder; nothing if npx starts it there, or it cannot be found. */
function byPath(folder: string): string | undefined {
  const own = ["..", "../.."].map((up) => fileURLToPath(new URL(`${up}/${BIN}`, import.meta.url))).find((file) => realFile(file));
  const linked = path.join("node_modules", ".bin", "hookloop");
  const nearest = foldersFrom(folder).find((one) => realFile(path.join(one, linked)));
  if (own === undefined || (nearest !== undefined && realFile(path.join(nearest, linked)) === realFile(own))) return undefined;
  const [, started = ""] = process.argv;
  const file = realFile(started) === realFile(own) ? started : own;
  const relative = path.relative(folder, file);
  const isFar = relative.startsWith("../../..") || relative.length > file.length;
  const shown = isFar ? file : relative.includes("/") ? relative : `./${relative}`;
  return /^[\w@%+:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

function foldersFrom(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersFrom(above)];
}

function realFile(file: string): string | undefined {
  try {
    return file === "" ? undefined : realpathSync(file);
  } catch {
    // Not there.
    return undefined;
  }
}

/** A text of ours in which commands can be typed as they stand. */
export function withOwnCommand(text: string): string {
  const command = ownCommand();
  return command === "hookloop" ? text : text.replace(COMMANDS, () => command);
}

const COMMANDS = /(?<!npx |[\w/@.-])hookloop(?= (?:agent|demo|events|history|hook|init|run|schema|test|trace|trust|undo)\b)/g;

function isOnPath(searched: string): boolean {
  return searched.split(path.delimiter).some((folder) => {
    if (folder === "" || OF_NPM.test(folder)) return false;
    try {
      accessSync(path.join(folder, "hookloop"), constants.X_OK);
      return true;
    } catch {
      // Not in this folder: the next one is asked.
      return false;
    }
  });
}

/** The known name that was probably meant, or nothing if none is close. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const limit = Math.min(farthest(name), best ? best.distance - 1 : Number.POSITIVE_INFINITY);
    // Each letter more or less is one to insert or remove: most names need no closer look, whatever their length.
    if (Math.abs(wanted.length - name.length) > limit) continue;
    const distance = editDistance(wanted, name.toLowerCase(), limit);
    if (distance <= limit) best = { name, distance };
  }
  return best?.name;
}

/** Longer than any name we know: nothing is near it, and comparing would take time. */
const LONGEST_NAME = 64;

/** ` Did you mean "X"?`, or nothing if no known name is close. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = given.length > LONGEST_NAME ? undefined : nearestName(given, known);
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}

/** More than a third of the letters wrong is another word, not a slip. */
function farthest({ length }: string): number {
  return Math.max(2, Math.floor(length / 3));
}

/** Letters to insert, remove, replace or swap with a neighbour; anything above the limit once it is sure to be above. */
function editDistance(from: string, to: string, limit: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(at(previous, column) + 1, at(current, column - 1) + 1, at(previous, column - 1) + (isSame ? 0 : 1));
      if (isSwapped) current[column] = Math.min(at(current, column), at(beforePrevious, column - 2) + 1);
    }
    // A swap reaches back two rows.
    if (Math.min(...current) > limit && Math.min(...previous) > limit) return Number.POSITIVE_INFINITY;
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** For programs that pass no listener. */
export function printDiagnostic(diagnostic: Diagnostic): void {
  // SECURITY: names and file contents of a checkout stand in it, and a terminal would obey them.
  process.stderr.write(`${visible(diagnosticLine(diagnostic))}\n`);
}
