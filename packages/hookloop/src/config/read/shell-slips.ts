import { TOOL_NAMES } from "../../catalogue/index.ts";

// Slips of scripts that are to judge something, which end in exit code 0 without a word. Only what begins a line is looked at where it matters
// that it surely runs: branches and functions may never.

/** Why a shell script lets through what it should not, as the rest of a sentence. */
export function shellSlip(text: string): string | undefined {
  const lines = text
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => !/^\s*#/.test(line));
  return readTwice(lines) ?? plainGrep(lines) ?? quotedName(lines) ?? plainPattern(lines) ?? lostExit(text);
}

/** Reads stdin, and nothing else: no pipe into it, no file behind it. */
const READER =
  /^(?!\s)(?:(?:export|readonly|declare)\s+)?(?:\w+=)?["']?(?:\$\(|`)?\s*(?:jq(?:\s+-[a-zA-Z]+)*\s+(?:'[^']*'|"[^"]*"|\.[\w.[\]?]*)|cat(?:\s+-)?(?:\s*>>?\s*(?:"[^"]*"|'[^']*'|[^\s;|&<>]+))?|(?:python3?|node)\s+-[ce]\s+(?:'[^']*stdin[^']*'|"[^"]*stdin[^"]*"))\s*(?:[)|`;"]|2>|$)/;

/** stdin can be read once: the second reader finds it empty. */
function readTwice(lines: readonly string[]): string | undefined {
  if (lines.some((line) => /^\s*exec\s|<<-?\s*["']?\w/.test(line) && !/<<</.test(line))) return undefined;
  const readers = lines
    .flatMap(apart)
    .filter((line) => READER.test(line) && !/\s-[a-zA-Z]*n[a-zA-Z]*\s|<(?!<<)/.test(line.split("'")[0] ?? ""));
  const [, second] = readers;
  if (second === undefined) return undefined;
  return `reads stdin twice, and the second time (${short(second)}) it is empty. Store it first: input=$(cat), then printf '%s' "$input" | jq …`;
}

/** The assignments of `a=$(…); b=$(…)`, and what is written behind one that reads: each surely runs. */
function apart(line: string): readonly string[] {
  const parts = line.split(/;\s*(?=\w+=["']?\$\()/);
  return parts.every((part) => /^\w+=["']?\$\(/.test(part)) ? parts : [line];
}

/** `grep -q "a|b"`: without -E the sign is one to look for. */
function plainGrep(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const [, options = "", , pattern = ""] = /(?<![\w-])grep((?:\s+-[\w-]+)*)\s+(["'])((?:(?!\2).)*\w\|\w(?:(?!\2).)*)\2/.exec(line) ?? [];
    if (pattern !== "" && !/\\\|/.test(pattern) && !/-\w*[EPF]|--(?:extended|perl|fixed)/.test(options))
      return `has grep ${options.trim()} "${pattern.slice(0, 40)}" without -E, which looks for the sign "|" itself. Write grep -E.`.replace(
        "  ",
        " ",
      );
  }
  return undefined;
}

/** `[ "$c" = *rm* ]`, `[[ $c == "*rm*" ]]` and `[[ $c =~ "rm.*" ]]` compare letters: patterns are read in [[ ]] only, and without quotes. */
function plainPattern(lines: readonly string[]): string | undefined {
  for (const line of lines.filter(({ length }) => length < 500)) {
    const [, single] =
      /(?<!\[)\[\s+["']?\$\{?\w+\}?["']?\s+!?==?\s+(["'][^"'$]*(?:\w\*|\*\w)[^"'$]*["']|[^\s"'\]$]*(?:\w\*|\*\w)[^\s"'\]$]*)\s+\]/.exec(
        line,
      ) ?? [];
    const [, double] = /\[\[\s+["']?\$\{?\w+\}?["']?\s+!?==?\s+(["'][^"'$]*(?:\w\*|\*\w)[^"'$]*["'])/.exec(line) ?? [];
    const [, matched] = /=~\s+(["'][^"'$]*(?:\.[*+]|\w\|\w|\\[sbw.]|\[[^\]]+\])[^"'$]*["'])/.exec(line) ?? [];
    const pattern = single ?? double ?? matched;
    const bare = pattern?.replace(/^["']|["']$/g, "").replaceAll(" ", "\\ ");
    if (pattern !== undefined)
      return `compares with ${pattern.slice(0, 40)}, which is read letter by letter ${single === undefined ? "in quotes" : "in [ ]"}. Write it in bash as [[ … ${matched === undefined ? "==" : "=~"} ${bare?.slice(0, 40)} ]], or as case … in.`;
  }
  return undefined;
}

/** `t=$(jq .tool_name)` has quotes in it, `[ "$t" = bash ]` another case. */
function quotedName(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const [, variable, options = ""] =
      /^\s*(\w+)=["']?\$\((?:.*\|\s*)?jq((?:\s+-{1,2}[\w-]+)*)\s+['"]?\.tool_name['"]?\s*(?:\)|<<<)/.exec(line) ?? [];
    if (variable === undefined) continue;
    const compared = new RegExp(`"?\\$\\{?${variable}\\}?"?\\s*!?==?\\s*(?:"(\\w+)"|(\\w+))(?=[\\s\\];]|$)`);
    const found = lines.flatMap((one) => compared.exec(one)?.slice(1).filter(Boolean) ?? []);
    const [name] = found;
    if (name === undefined) continue;
    if (!/-\w*[rj]|--raw|--join/.test(options))
      return `compares what jq .tool_name prints with ${name}, and without -r jq prints it in quotes. Write jq -r .tool_name.`;
    const tool = TOOL_NAMES.find((one) => one !== name && one.toLowerCase() === name.toLowerCase());
    if (tool !== undefined && !found.includes(tool)) return `compares tool_name with "${name}", and the tool is called "${tool}".`;
  }
  return undefined;
}

/** The beginning of a line, for a message. */
export function short(line: string): string {
  return line.trim().slice(0, 40);
}

/**
 * Takes the text of a shell script that blocks by `exit 2`; says why it does not, as the rest of a sentence: inside of `$( )`, `( )` and a loop behind a
 * pipe it ends only that part. Nothing unless all of its `exit 2` are lost so, and surely: what asks for the part's exit code may hand it on.
 */

/** What a place in a script stands in. `function` and `group` end with the shell; `subshell` and its kind do not. */
interface Enclosing {
  readonly kind: "$( )" | "( )" | "behind a pipe" | "case" | "loop" | "group" | "function";
  readonly name?: string | undefined;
  /** What stands before it on its line. */
  readonly before: string;
}

interface Found {
  /** `exit`, or the name of a function that is called. */
  readonly word: string;
  readonly within: readonly Enclosing[];
  /** Where the outermost part ends that loses an exit code; set when it is known. */
  end?: number;
}

/** Reports a failure of a part by itself. */
const HANDS_ON = /\bset\s+-\w*e|\berrexit\b|^#!.*\s-\w*e|\$\?|PIPESTATUS|\btrap\b|\bwait\b|permissionDecision|"decision"|<<-?\s*["'\\]?\w/m;
const PARTS = ["$( )", "( )", "behind a pipe"];

function lostExit(text: string): string | undefined {
  if (!/\bexit\s+2\b/.test(text) || HANDS_ON.test(text)) return undefined;
  const code = plainCode(text);
  const places = code === undefined ? undefined : placesIn(code);
  const isCalled = ({ kind, name }: Enclosing): boolean => kind !== "function" || places?.some(({ word }) => word === name) === true;
  const exits = places?.filter(({ word, within }) => word === "exit" && within.every(isCalled)) ?? [];
  if (!code || !places || exits.length === 0) return undefined;
  const lost = exits.map((exit) => losing(exit, { places, code }));
  const [first] = lost;
  if (first === undefined || lost.some((one) => one === undefined)) return undefined;
  const where = first.kind === "behind a pipe" ? "in a loop behind a pipe" : `inside of ${first.kind}`;
  const by = first.by === undefined ? "" : `, where ${first.by} is called`;
  return `has exit 2 only ${where}${by}, and there it ends that part and not the script, so it blocks nothing. Write || exit 2 behind that part, or exit outside of it.`;
}

type Lost = { readonly kind: string; readonly by?: string | undefined };

/** What loses this exit code: a part around it, or around every call of its function. */
function losing(place: Found, script: { readonly places: readonly Found[]; readonly code: string }): Lost | undefined {
  const inner = place.within.findLastIndex(({ kind }) => kind === "function");
  const part = place.within.slice(inner + 1).find(({ kind }) => PARTS.includes(kind));
  if (part) return isAskedFor(part, place.end, script.code) ? undefined : { kind: part.kind };
  const name = place.within[inner]?.name;
  const calls = name === undefined ? [] : script.places.filter((other) => other.word === name);
  const lost = calls.map((call) => (call.within.some((one) => one.name === name) ? undefined : losing(call, script)));
  return lost[0] && lost.every(Boolean) ? { kind: lost[0].kind, by: name } : undefined;
}

/** Something reads the exit code of the part, or it is the last command and so the script's own. */
function isAskedFor({ before }: Enclosing, end: number | undefined, code: string): boolean {
  const after = end === undefined ? "" : code.slice(end);
  const isLast = /^["'\s;]*(?:(?:fi|done|esac|;;|\}|;)\s*)*$/.test(after);
  return isLast || /^["'\s]*(?:\|\||&&|\|)/.test(after) || /(?:^|[;&|\s])(?:if|elif|while|until|!)\s[^;]*$/.test(` ${before}`);
}

/** The script without comments and what is quoted with `'`; nothing if its quotes do not close. */
function plainCode(text: string): string | undefined {
  const code = text
    .replace(/\\\n/g, " ")
    .replace(/\\.|'[^']*'|(?<=^|[\s;])#.*$|\$\{[^{}]*\}/gm, (found) => (found.startsWith("#") ? "" : "_"));
  return code.includes("'") ? undefined : code;
}

const TOKEN = /\$\(|`|[(){}]|(?<![\w$-])(?:[A-Za-z_]\w*)(?![\w-])/g;

/** Every `exit 2` and every other word that may be a call, with what it stands in; nothing if that is not sure. */
function placesIn(code: string): readonly Found[] | undefined {
  const scan = new Scan(code);
  for (const { 0: token, index } of code.matchAll(TOKEN)) if (!scan.take(token, index)) return undefined;
  return scan.stack.length === 0 ? scan.found : undefined;
}

/** SECURITY: a checkout's script may be anything; guards are short. */
const MOST_WORDS = 1000;
const LONGEST_LINE = 300;
const DEEPEST = 50;

class Scan {
  readonly stack: Enclosing[] = [];
  readonly found: Found[] = [];
  readonly #code: string;
  /** Of the function whose body comes next. */
  #name: string | undefined;

  constructor(code: string) {
    this.#code = code;
  }

  /** False if the script is not understood. */
  take(token: string, index: number): boolean {
    if (this.found.length > MOST_WORDS || this.stack.length > DEEPEST) return false;
    const nearby = this.#code.slice(Math.max(0, index - LONGEST_LINE), index);
    const before = nearby.slice(nearby.lastIndexOf("\n") + 1);
    const end = index + token.length;
    if (/^\w/.test(token)) return this.#word(token, before, end);
    if (token === "}") return this.#close(end, "group", "function");
    if (token === "{") return this.#open(this.#name === undefined ? "group" : "function", before);
    if (token === "(") return this.#parenthesis(before, end);
    if (token === "$(") return !this.#code.startsWith("(", end) && this.#open("$( )", before);
    if (token === "`") return this.stack.at(-1)?.name === token ? this.#close(end, "$( )") : this.#open("$( )", before, token);
    const isDefinition = this.#name !== undefined && this.#code[index - 1] === "(";
    return isDefinition || this.stack.at(-1)?.kind === "case" || this.#close(end, "$( )", "( )");
  }

  #open(kind: Enclosing["kind"], before: string, name = this.#name): true {
    this.stack.push({ kind, before, name });
    this.#name = undefined;
    return true;
  }

  #close(end: number, ...kinds: readonly Enclosing["kind"][]): boolean {
    const top = this.stack.pop();
    for (const one of this.found) if (top && PARTS.includes(top.kind) && one.within.includes(top)) one.end ??= end;
    return top !== undefined && kinds.includes(top.kind);
  }

  /** The beginning of a definition, of a pattern of `case`, or of a part. */
  #parenthesis(before: string, end: number): true {
    const [, called] = /(?:^|[;&\s])(?:function\s+)?(\w+)\s*$/.exec(before) ?? [];
    if (called !== undefined && this.#code.startsWith(")", end)) {
      // A definition is no call.
      if (this.found.at(-1)?.word === called) this.found.pop();
      this.#name = called;
      return true;
    }
    return (this.stack.at(-1)?.kind === "case" && !COMMAND_BEGINS.test(before)) || this.#open("( )", before);
  }

  #word(word: string, before: string, end: number): boolean {
    if (word === "esac" && this.stack.at(-1)?.kind === "case") return this.#close(end, "case");
    if (!COMMAND_BEGINS.test(before)) return true;
    if (word === "case") return this.#open("case", before);
    if (/^(?:while|until|for|select)$/.test(word)) return this.#open(/(?<!\|)\|\s*$/.test(before) ? "behind a pipe" : "loop", before);
    if (word === "done") return this.#close(end, "loop", "behind a pipe");
    const rest = this.#code.slice(end, end + 100);
    if (word === "function") this.#name = /^\s+(\w+)/.exec(rest)?.[1];
    else if (word !== "exit" || /^\s+2\b/.test(rest)) this.found.push({ word, within: [...this.stack] });
    return true;
  }
}

const COMMAND_BEGINS = /(?:^|[;&|({`!]|\b(?:then|do|else|in)|\))\s*$/;
