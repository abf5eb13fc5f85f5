// The file behind CLAUDE_ENV_FILE: hooks append assignments, later shell tools of the session get them.
// No shell ever reads it here, and no value of it stands on a command line.

import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { insideFolders, readWithin } from "../permissions/index.ts";
import { makeFolders } from "../state-files.ts";
import { whyNotExported } from "./environment.ts";

export interface EnvFile {
  readonly path: string;
  read(): Assignments;
  dispose(): void;
}

interface EnvFileOptions {
  /** Where the private folder is made; the system's temporary folder if left out. */
  readonly parent?: string | undefined;
  /** What `$NAME` in the file finds. */
  readonly base: Readonly<Record<string, string | undefined>>;
}

const MOST_BYTES = 1024 * 1024;

type Variables = Readonly<Record<string, string | undefined>>;

/** Makes an empty env file for one session: 0600, in a folder of its own with 0700. */
export function createEnvFile({ parent = tmpdir(), base }: EnvFileOptions): EnvFile {
  makeFolders(parent, 0o700);
  // SECURITY: mkdtemp makes a new folder with 0700, so nothing can have been planted at the file's path.
  const folder = mkdtempSync(path.join(parent, "hookloop-env-"));
  const file = path.join(folder, "session.env");
  closeSync(openSync(file, "wx", 0o600));
  return {
    path: file,
    read: () => readEnvFile(file, base),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Reads an env file; a missing one is empty, and what is wrong with it is among the problems. */
export function readEnvFile(file: string, base: Variables = {}): Assignments {
  // SECURITY: a hook may have put a link or a fifo there; neither is followed, neither blocks.
  const found = readWithin(file, { within: insideFolders([path.dirname(file)]), limit: MOST_BYTES });
  if (found.kind === "read") return readAssignments(found.bytes.toString(), base);
  if (found.kind === "missing") return { variables: {}, problems: [] };
  const why = { "too-large": `it has more than ${MOST_BYTES} bytes`, outside: "it is a link", unreadable: "it is not a regular file" };
  return { variables: {}, problems: [{ line: 0, text: `the file cannot be read: ${why[found.kind]}` }] };
}

/**
 * Reads shell assignments without a shell. Understood, one or more per line, also separated by `;`:
 * `export K=V`, `K=V`, `declare -x K=V`, `typeset -x K=V`; values bare, in '…', "…" or $'…', joined as in a shell;
 * `$NAME` and `${NAME}` outside single quotes; `~` for the home folder; comments; `\` before a newline.
 * Everything else is a problem with its line number, and changes nothing: commands, `$(…)`, backticks, `${NAME:-…}`, arithmetic.
 */
interface Assignments {
  readonly variables: Readonly<Record<string, string>>;
  readonly problems: readonly EnvFileProblem[];
}

/** The line's text is left out: it may hold a secret. */
interface EnvFileProblem {
  readonly line: number;
  readonly text: string;
}

/** Thrown inside the reader only, to leave a statement that is not understood. */
class NotUnderstood extends Error {}

/** The last assignment of a name wins; `base` is what `$NAME` finds before the file itself said something. */
export function readAssignments(given: string, base: Variables): Assignments {
  const reader = new Reader(given.replaceAll("\r\n", "\n"));
  const variables: Record<string, string> = Object.create(null);
  const problems: EnvFileProblem[] = [];
  while (!reader.isAtEnd) {
    const { at, line } = reader;
    try {
      Object.assign(
        variables,
        readStatement(reader, (name, own) => own.get(name) ?? variables[name] ?? base[name]),
      );
    } catch (thrown) {
      if (!(thrown instanceof NotUnderstood)) throw thrown;
      reader.skipLine(at);
      problems.push({ line, text: thrown.message });
    }
  }
  return { variables, problems };
}

class Reader {
  readonly #text: string;
  at = 0;
  #counted = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  /** Counted on from the last time: a file of many lines is asked for every one. */
  get line(): number {
    for (; this.#counted < this.at; this.#counted++) if (this.#text[this.#counted] === "\n") this.#line++;
    return this.#line;
  }

  get next(): string {
    return this.#text[this.at] ?? "";
  }

  /** What the sticky pattern finds here, which is then read. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  /** Goes on behind the line that begins at `start`, or where the reading broke off. */
  skipLine(start: number): void {
    const end = this.#text.indexOf("\n", start);
    this.at = Math.max(this.at, end === -1 ? this.#text.length : end + 1);
  }
}

const BLANK = /(?:[ \t]|\\\n)*(?:#[^\n]*)?/y;
const KEYWORD = /(?:export|(?:declare|typeset) -x)[ \t]+/y;
const END = /[\n;]|$/y;
const ASSIGNMENT = /([A-Za-z_]\w*)=/y;

const HOME = /~(?=[/:\s;]|$)/y;
const PLAIN = /[^ \t\n;'"$\\`|&<>()~:]+|[~:]/y;
const ESCAPED = /\\([\s\S]?)/y;
const SINGLE = /'([^']*)'/y;
const ANSI = /\$'([^'\\]*(?:\\[\s\S][^'\\]*)*)'/y;
const DOUBLE = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y;
/** A backslash means something only before these; a `$` only before what a shell would replace. */
const IN_DOUBLE = /\\(["\\$`\n])|`|\$(?=[\w{(@*#?$!-])(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})?/g;

type LookUp = (name: string, own: ReadonlyMap<string, string>) => string | undefined;
type Look = (name: string) => string | undefined;

/** The assignments up to the end of one statement, all or none. */
function readStatement(reader: Reader, lookUp: LookUp): Record<string, string> {
  const found = new Map<string, string>();
  reader.take(BLANK);
  reader.take(KEYWORD);
  while (!reader.take(END)) {
    const name = reader.take(ASSIGNMENT)?.[1];
    if (name === undefined) throw new NotUnderstood("it is not an assignment; write export NAME='value'");
    // SECURITY: later shell commands are the agent's, not the hook's.
    const why = whyNotExported(name);
    if (why !== undefined) throw new NotUnderstood(`${name} cannot be set from here: ${why}`);
    const value = readValue(reader, (wanted) => lookUp(wanted, found));
    if (value.includes("\0")) throw new NotUnderstood("its value has a NUL byte");
    found.set(name, value);
    reader.take(BLANK);
  }
  return Object.fromEntries(found);
}

function readValue(reader: Reader, look: Look): string {
  let value = "";
  let mayBeHome = true;
  while (!/^[ \t\n;]?$/.test(reader.next)) {
    // A colon that is quoted or escaped begins no path.
    const isColon = reader.next === ":";
    value += mayBeHome && reader.take(HOME) ? (look("HOME") ?? "~") : readPart(reader, look);
    mayBeHome = isColon;
  }
  return value;
}

function readPart(reader: Reader, look: Look): string {
  const { next } = reader;
  const text = reader.take(PLAIN)?.[0] ?? reader.take(SINGLE)?.[1];
  if (text !== undefined) return text;
  const escaped = reader.take(ESCAPED);
  if (escaped) return escaped[1] === "\n" ? "" : (escaped[1] ?? "");
  const double = reader.take(DOUBLE)?.[1];
  if (double !== undefined) return doubleText(double, look);
  const ansi = reader.take(ANSI)?.[1];
  if (ansi !== undefined) return ansiText(ansi);
  const [, bare, braced] = reader.take(VARIABLE) ?? [];
  const name = bare ?? braced;
  if (name !== undefined) return look(name) ?? "";
  if (next === "'" || next === '"') throw new NotUnderstood(`its ${next} is not closed`);
  if (next === "$") throw new NotUnderstood(ONLY_NAMES);
  throw new NotUnderstood(`an unquoted ${next} is a command for a shell; only plain values are read`);
}

const ONLY_NAMES = "only $NAME and ${NAME} are replaced; no commands, no defaults";

function doubleText(inner: string, look: Look): string {
  return inner.replace(IN_DOUBLE, (found, escaped?: string, bare?: string, braced?: string) => {
    if (escaped !== undefined) return escaped === "\n" ? "" : escaped;
    if (found === "`") throw new NotUnderstood("a ` runs a command; only plain values are read");
    const name = bare ?? braced;
    if (name === undefined) throw new NotUnderstood(ONLY_NAMES);
    return look(name) ?? "";
  });
}

function ansiText(inner: string): string {
  if (/^(?:[^\\]|\\[^cU])*\\[cU]/.test(inner)) throw new NotUnderstood("\\c and \\U are not read; write the character itself");
  return inner.replace(/\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|[0-7]{1,3}|[\s\S])/g, (_, code: string) => ansiCharacter(code));
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", v: "\v" };

function ansiCharacter(code: string): string {
  if (/^[xu]./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
  // bash keeps the backslash of what it does not know.
  return ESCAPES[code] ?? (/[\\'"?]/.test(code) ? code : `\\${code}`);
}
