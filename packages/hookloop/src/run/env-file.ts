// The file behind CLAUDE_ENV_FILE: hooks append assignments, later shell tools of the session get them.
// No shell ever reads it here, and no value of it stands on a command line.

import { closeSync, constants, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeFolders } from "../state-files.ts";
import { whyNotExported } from "./environment.ts";
import { thrownText } from "./types.ts";

export interface EnvFile {
  readonly path: string;
  /** What the hooks of the session have written so far. */
  read(): Assignments;
  /** Removes the file and its folder. */
  dispose(): void;
}

interface EnvFileOptions {
  /** Where the private folder is made; the system's temporary folder if left out. */
  readonly parent?: string | undefined;
  /** What `$NAME` in the file finds. */
  readonly base: Readonly<Record<string, string | undefined>>;
}

/** Larger files are not read. */
const MOST_BYTES = 1024 * 1024;

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
export function readEnvFile(file: string, base: Readonly<Record<string, string | undefined>> = {}): Assignments {
  try {
    return readAssignments(readSmallFile(file), base);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return { variables: {}, problems: [] };
    return { variables: {}, problems: [{ line: 0, text: `the file cannot be read: ${thrownText(thrown)}` }] };
  }
}

function readSmallFile(file: string): string {
  // SECURITY: a hook may have put a link or a fifo there; neither is followed, neither blocks.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error("it is not a regular file any more");
    if (stat.size > MOST_BYTES) throw new Error(`it has ${stat.size} bytes, more than ${MOST_BYTES}`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
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

/** The last assignment of a name wins; `base` is what `$NAME` finds before the file itself said something. */
export function readAssignments(text: string, base: Readonly<Record<string, string | undefined>>): Assignments {
  const scanner = new Scanner(text.replaceAll("\r\n", "\n"), base);
  const problems: EnvFileProblem[] = [];
  while (!scanner.isAtEnd) {
    const line = scanner.line;
    const problem = scanner.statement();
    if (problem !== undefined) problems.push({ line, text: problem });
  }
  return { variables: scanner.variables, problems };
}

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** Thrown inside the scanner only, to leave a statement that is not understood. */
class NotUnderstood extends Error {}

class Scanner {
  readonly variables: Record<string, string> = Object.create(null);
  readonly #text: string;
  readonly #base: Readonly<Record<string, string | undefined>>;
  #at = 0;
  #counted = 0;
  #line = 1;

  constructor(text: string, base: Readonly<Record<string, string | undefined>>) {
    this.#text = text;
    this.#base = base;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Counted on from the last time: a file of many lines is asked for every one. */
  get line(): number {
    for (; this.#counted < this.#at; this.#counted++) if (this.#text[this.#counted] === "\n") this.#line++;
    return this.#line;
  }

  /** Reads up to the end of one statement and applies it whole or not at all; gives what is wrong with it. */
  statement(): string | undefined {
    const start = this.#at;
    try {
      const found = this.#assignments();
      for (const [name, value] of found) this.variables[name] = value;
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof NotUnderstood)) throw thrown;
      const end = this.#text.indexOf("\n", start);
      this.#at = Math.max(this.#at, end === -1 ? this.#text.length : end + 1);
      return thrown.message;
    }
  }

  #assignments(): [string, string][] {
    this.#blank();
    this.#keyword();
    const found: [string, string][] = [];
    while (!this.#endsStatement()) {
      const name = ASSIGNMENT.exec(this.#text.slice(this.#at, this.#at + 256))?.[1];
      if (name === undefined) throw new NotUnderstood("it is not an assignment; write export NAME='value'");
      // SECURITY: design rules 9 and 10; later shell commands are the agent's, not the hook's.
      const why = whyNotExported(name);
      if (why !== undefined) throw new NotUnderstood(`${name} cannot be set from here: ${why}`);
      this.#at += name.length + 1;
      found.push([name, this.#value(new Map(found))]);
      this.#blank();
    }
    return found;
  }

  #keyword(): void {
    const word = /^(?:export|(?:declare|typeset) -x)[ \t]+/.exec(this.#text.slice(this.#at, this.#at + 64))?.[0];
    this.#at += word?.length ?? 0;
  }

  /** Blanks, continued lines, and a comment up to the end of its line. */
  #blank(): void {
    this.#at += /^(?:[ \t]|\\\n)*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
    if (this.#text[this.#at] !== "#") return;
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #endsStatement(): boolean {
    if (this.isAtEnd) return true;
    const isSeparator = this.#text[this.#at] === "\n" || this.#text[this.#at] === ";";
    if (isSeparator) this.#at++;
    return isSeparator;
  }

  #value(earlier: ReadonlyMap<string, string>): string {
    let value = "";
    let mayBeHome = true;
    while (!this.isAtEnd && !/[ \t\n;]/.test(this.#text[this.#at] ?? "")) {
      const isHome = mayBeHome && /^~(?=[/:\s;]|$)/.test(this.#text.slice(this.#at, this.#at + 2));
      const part = isHome ? this.#home() : this.#part(earlier);
      mayBeHome = this.#text[this.#at - 1] === ":";
      value += part;
    }
    if (value.includes("\0")) throw new NotUnderstood("its value has a NUL byte");
    return value;
  }

  #home(): string {
    this.#at++;
    return this.variables["HOME"] ?? this.#base["HOME"] ?? "~";
  }

  #part(earlier: ReadonlyMap<string, string>): string {
    const character = this.#text[this.#at] ?? "";
    if (character === "'") return this.#single();
    if (character === '"') return this.#double(earlier);
    if (character === "$" && this.#text[this.#at + 1] === "'") return this.#ansi();
    if (character === "$") return this.#variable(earlier);
    if (/[`|&<>()]/.test(character))
      throw new NotUnderstood(`an unquoted ${character} is a command for a shell; only plain values are read`);
    this.#at++;
    if (character !== "\\") return character;
    const next = this.#text[this.#at++] ?? "";
    return next === "\n" ? "" : next;
  }

  #single(): string {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) throw new NotUnderstood("its ' is not closed");
    const value = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return value;
  }

  #double(earlier: ReadonlyMap<string, string>): string {
    let value = "";
    this.#at++;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new NotUnderstood('its " is not closed');
      if (character === "`") throw new NotUnderstood("a ` runs a command; only plain values are read");
      if (character === "$" && /[A-Za-z0-9_{(@*#?$!-]/.test(this.#text[this.#at + 1] ?? "")) value += this.#variable(earlier);
      else {
        this.#at++;
        if (character === '"') return value;
        value += character === "\\" ? this.#escaped() : character;
      }
    }
  }

  /** In double quotes a backslash means something only before these. */
  #escaped(): string {
    const next = this.#text[this.#at] ?? "";
    if (!/["\\$`\n]/.test(next)) return "\\";
    this.#at++;
    return next === "\n" ? "" : next;
  }

  #variable(earlier: ReadonlyMap<string, string>): string {
    const match = /^\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/.exec(this.#text.slice(this.#at, this.#at + 256));
    const name = match?.[1] ?? match?.[2];
    if (match === null || name === undefined) throw new NotUnderstood("only $NAME and ${NAME} are replaced; no commands, no defaults");
    this.#at += match[0].length;
    return earlier.get(name) ?? this.variables[name] ?? this.#base[name] ?? "";
  }

  #ansi(): string {
    const match = /^\$'((?:[^'\\]|\\[\s\S])*)'/.exec(this.#text.slice(this.#at));
    if (!match) throw new NotUnderstood("its $' is not closed");
    this.#at += match[0].length;
    if (/^(?:[^\\]|\\[^cU])*\\[cU]/.test(match[1] ?? "")) throw new NotUnderstood("\\c and \\U are not read; write the character itself");
    return (match[1] ?? "").replace(/\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|[0-7]{1,3}|[\s\S])/g, (_, code: string) => ansiCharacter(code));
  }
}

function ansiCharacter(code: string): string {
  if (/^[xu]./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
  // bash keeps the backslash of what it does not know.
  return ESCAPES[code] ?? `\\${code}`;
}
