import { EVENT_FACTS } from "../generated/facts.ts";
import { INPUT_FIELDS } from "../generated/match-values.ts";
import { spelling, toolElsewhere } from "../run/matchers.ts";
import { cutReturn } from "../run/slips.ts";

// Slips of scripts that are to judge something, which end in exit code 0 without a word. Only what begins a line is looked at where it matters
// that it surely runs: branches and functions may never.

const TOOL_NAMES = Object.keys(INPUT_FIELDS);

/** Gives what is wrong, as the rest of a sentence; `tools` are those that the script is called for, if they are known. */
export type Slip = (text: string, tools?: readonly string[]) => string | undefined;

/** Why a shell script lets through what it should not, as the rest of a sentence. */
export function shellSlip(text: string): string | undefined {
  const lines = text
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => !/^\s*#/.test(line));
  return (
    readTwice(lines) ??
    plainGrep(lines) ??
    quotedName(lines) ??
    plainPattern(lines) ??
    blankInJson(lines) ??
    wrongStart(lines) ??
    lostExit(text) ??
    lostReturn(text) ??
    trapped(lines)
  );
}

/** `grep '"tool_name": "Bash"'`: events come without blanks between their signs. */
function blankInJson(lines: readonly string[]): string | undefined {
  if (lines.some((line) => /\bjq\s+(?:-\w+\s+)*['"]?\.['"]?(?:\s|$|\))|json\.tool|\bjson_pp\b/.test(line))) return undefined;
  for (const line of lines.filter(({ length }) => length < 500)) {
    const [found] = /"\w{1,40}": "[\w ./-]{0,60}"?/.exec(line) ?? [];
    if (
      found !== undefined &&
      (/\bgrep\b/.test(line) || /\bin\b.*\*/.test(line) || /\*\)/.test(line)) &&
      !/\bprintf|\becho/.test(line.split(found)[0] ?? "")
    )
      return `looks for ${found} with a blank behind the colon, and the event has none there. Write jq -r, or ${found.replace(": ", ":")}.`;
  }
  return undefined;
}

/** The text of the event begins with a brace, and what jq prints without -r with a quote: neither begins with a command. */
function wrongStart(lines: readonly string[]): string | undefined {
  const text = lines.join("\n");
  for (const line of lines.filter(({ length }) => length < 500)) {
    const [, quoted, options = ""] =
      /^\s*(?:local\s+)?(\w+)=["']?\$\((?:[^()]{0,80}\|\s*)?jq((?:\s+-{1,2}[\w-]+)*)\s+['"]?\.tool_input\.\w+['"]?\s*(?:<<<[^()]*)?\)/.exec(
        line,
      ) ?? [];
    const [, whole, read] = /^\s*(?:(\w+)=["']?\$\(cat(?:\s+-)?\)["']?|(?:IFS=\s+)?read\s+(?:-r\s+)?(\w+))\s*$/.exec(line) ?? [];
    const name = (/-\w*[rj]|--raw|--join/.test(options) ? undefined : quoted) ?? whole ?? read;
    if (name === undefined || text.split(new RegExp(`(?<![\\w$-])${name}=|\\bread\\s+(?:-r\\s+)?${name}\\b`)).length !== 2) continue;
    const compared = comparedStart(text, name);
    if (compared === undefined) continue;
    return quoted === undefined
      ? `compares the event's JSON with ${compared}, and it begins with {. Take the field out first: jq -r .tool_input.command.`
      : `compares with ${compared} what jq prints in quotes. Write jq -r.`;
  }
  return undefined;
}

/** What a variable's value must begin with, or be, if that is a word. */
function comparedStart(text: string, name: string): string | undefined {
  const value = String.raw`["']?\$\{?${name}\}?["']?`;
  const [, body = ""] = new RegExp(String.raw`\bcase\s+${value}\s+in\b([\s\S]{0,1000}?)\besac\b`).exec(text) ?? [];
  const arms = [...body.matchAll(/(?:^|;;)\s*\(?([^()\n;]{1,300})\)/g)].flatMap(([, arm = ""]) => arm.split("|").map((one) => one.trim()));
  const judged = arms.filter((arm) => arm !== "*" && arm !== "");
  const [, equal] = new RegExp(String.raw`\[\[?\s+${value}\s+==?\s+["']?([a-z][^\s"'\]$]{1,60})`).exec(text) ?? [];
  return judged.length > 0 && judged.every((arm) => /^["']?[a-z]/.test(arm)) ? judged[0] : equal === "null" ? undefined : equal;
}

/** `trap 'exit 0' EXIT`: whatever the script exits with, it ends so. */
function trapped(lines: readonly string[]): string | undefined {
  const isSet = lines.some(
    (line) => /^\s*trap\s+(["'])(?:(?!\1).)*\bexit(?:\s+0)?\s*;?\s*\1\s+(?:\w+\s+)*(?:EXIT|0)\b/.test(line) && /exit\s+0/.test(line),
  );
  if (!isSet || !lines.some((line) => /\bexit\s+2\b/.test(line))) return undefined;
  return "has a trap that exits with 0, which takes the place of exit 2, so it blocks nothing. Remove the exit from the trap.";
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
function short(line: string): string {
  return line.trim().slice(0, 40);
}

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

/**
 * Why a shell script that blocks by `exit 2` does not, as the rest of a sentence: inside `$( )`, `( )` and a loop behind a pipe it ends only that
 * part. Nothing unless all of its `exit 2` are lost that way, and surely: what asks for the part's exit code may hand it on.
 */
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

/** `check; exit 0`: what a function returned is forgotten with the next command. */
function lostReturn(text: string): string | undefined {
  if (/\bexit\s+2\b/.test(text) || HANDS_ON.test(text)) return undefined;
  for (const [, name = ""] of text.matchAll(/^(?:function\s+)?(\w{1,60})\s*\(\)\s*\{(?:(?!\n\})[\s\S]){0,2000}?\breturn\s+2\b/gm)) {
    const calls = text.split("\n").filter((line) => new RegExp(`\\b${name}\\b(?!\\s*\\()`).test(line));
    const isPlain = new RegExp(`^${name}(?:\\s+["$\\w]+)*\\s*(?:;\\s*exit(?:\\s+0)?\\s*)?$`);
    const last = calls.at(-1) ?? "";
    const isForgotten = /;/.test(last) || /\n\s*\w/.test(text.slice(text.lastIndexOf(last) + last.length));
    if (calls.length > 0 && calls.every((line) => isPlain.test(line)) && isForgotten)
      return `calls ${name}, which has return 2, and continues whatever it returned, so it blocks nothing. Write ${name} || exit 2.`;
  }
  return undefined;
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

/** A bare `except:` also takes what `sys.exit(2)` throws, and the exit of a `finally:` comes after it. */
function swallowedExit(text: string): string | undefined {
  for (const [, indent = "", tried = "", by = "", handled = ""] of text.matchAll(
    /^([ \t]*)try:([\s\S]{0,5000}?)^\1(except(?: BaseException(?: as \w+)?)?|finally):(.*(?:\n(?:\1[ \t]+.*|[ \t]*$))*)/gm,
  )) {
    if (!/\bexit\(2\)/.test(tried)) continue;
    if (by === "finally" && /\bexit\(0?\)/.test(handled))
      return "has sys.exit(2) inside of a try whose finally: exits with 0, which is what counts, so it blocks nothing. Take the exit out of finally.";
    if (by !== "finally" && !/\braise\b|\bexit\b(?!\(0?\))/.test(handled) && !new RegExp(`^${indent}except`, "m").test(tried))
      return "has sys.exit(2) inside of a try whose bare except: takes it, so it blocks nothing. Write except Exception:, or raise it again.";
  }
  return undefined;
}

const SHELL_NAME = /HOOK_TOOL_NAME\}?["']?\]?\s*(?:\)\s*)?[=!]?==?\s*["']?(\w+)/g;

/** The names that a script compares the tool's name, or another field of the event, with. */
export function comparedNames(text: string, field = "tool_name"): readonly string[] {
  const read = String.raw`${field}(?:["'](?:\s*,\s*["']{2})?\s*[\])])?`;
  const assigned = new RegExp(
    String.raw`(?<![\w.])(\w+)\s*=(?!=)[^=;\n]{0,80}\b${read}[ \t]*(?:;|$)|\{[^{}]*\b${field}:\s*(\w+)[^{}]*\}\s*=`,
    "gm",
  );
  const variables = [...text.matchAll(assigned)].map(([, name, alias]) => name ?? alias);
  const held = String.raw`(?:\b${[read, ...variables.map((name) => `${name}\\b`)].join(String.raw`|(?<![\w.])`)})`;
  const comparisons = [
    String.raw`${held}\s*[=!]==?\s*(["'\x60]\w+["'\x60])`,
    String.raw`(["']\w+["'])\s*[=!]==?\s*(?:\w+\??\.)?${held}`,
    String.raw`${held}\s+(?:not\s+)?in\s*[([{]([^()[\]{}]*)[)\]}]`,
    String.raw`\[([^[\]]*)\]\.includes\(\s*(?:\w+\??\.)?${held}\s*\)`,
    String.raw`\bswitch\s*\(\s*(?:\w+\??\.)?${held}\s*\)\s*\{([\s\S]{0,1000})`,
  ];
  const lists = comparisons.flatMap((one) => [...text.matchAll(new RegExp(one, "g"))].map(([whole, list = ""]) => ({ whole, list })));
  const named = lists.flatMap(({ whole, list }) => [
    ...list.matchAll(whole.startsWith("switch") ? /\bcase\s+["'](\w+)["']/g : /["'`](\w+)["'`]/g),
  ]);
  const inShell = field === "tool_name" ? [...text.matchAll(SHELL_NAME)] : [];
  return [...named, ...inShell].map(([, name = ""]) => name);
}

/** A tool or an event that is compared with a name that none has. */
export const misnamed: Slip = (text, tools = []) => {
  const isNamed = (name: string): boolean => [`"${name}"`, `'${name}'`].some((quoted) => text.includes(quoted));
  const elsewhere = (name: string): string | undefined => tools.find((tool) => tool === toolElsewhere(name));
  for (const name of comparedNames(text).filter((one) => !TOOL_NAMES.some((tool) => tool === one))) {
    const meant = TOOL_NAMES.find((tool) => spelling(tool) === spelling(name)) ?? elsewhere(name);
    if (meant !== undefined && !isNamed(meant)) return `compares tool_name with "${name}", and the tool is called "${meant}".`;
  }
  for (const name of comparedNames(text, "hook_event_name")) {
    const meant = Object.keys(EVENT_FACTS).find((event) => event !== name && spelling(event) === spelling(name));
    if (meant !== undefined && !isNamed(meant)) return `compares hook_event_name with "${name}", and the event is called "${meant}".`;
  }
  return undefined;
};

/** Why a Python script lets through what it should not. */
function pythonSlip(text: string): string | undefined {
  const reads = [...text.matchAll(/^(?!#).*(?:(?<![\w.])sys\.stdin(?:\.buffer)?\.read\(\)|json\.load\(\s*sys\.stdin\s*\))/gm)].map(
    ([line]) => line,
  );
  // Only at the start of a line it is sure that both run.
  if (reads.length > 1 && reads.every((line) => /^\S/.test(line) && !/^(?:def|class|if|else|elif|for|while|lambda)\b/.test(line)))
    return `reads stdin twice, and the second time (${short(reads[1] ?? "")}) it is empty. Read it once: text = sys.stdin.read(), then json.loads(text).`;
  if (/^if __name__\s*==\s*["']main["']/m.test(text))
    return 'asks if __name__ == "main", which it never is, so nothing runs. Write "__main__".';
  const [, name, body = ""] =
    /^def (\w+)\(\s*\)[^\n]*:\n((?:[ \t]+.*\n|[ \t]*\n|#.*\n)*)/m.exec(text.replace(/\r/g, "").concat("\n")) ?? [];
  const [returned] = /^\s+return [1-9]\b.*$/m.exec(body) ?? [];
  if (name === undefined || returned === undefined || /\bexit\(|SystemExit/.test(text)) return undefined;
  if (!new RegExp(`^[ \\t]*${name}\\(\\)`, "m").test(text)) return undefined;
  return `calls ${name}(), which has "${returned.trim()}", and does nothing with that: it exits with 0. Write sys.exit(${name}()).`;
}

/** `if (isBad) deny;`, `{ deny: "no" }`, `return` at the end of a line: a result that is named and not made. */
export function uncalled(text: string): string | undefined {
  const cut = cutReturn(text);
  if (cut !== undefined) return cut;
  const [, label] = /(?:=>|\))\s*\{\s*(deny|block|ask|stop)\s*:\s*["'`]/.exec(text) ?? [];
  if (label) return `has { ${label}: … } as a function's body, which is a label and does nothing. Write return ${label}("…").`;
  const [, name] = /(?:^|[;{)])[ \t]*(deny|block|ask|stop|feedback|emitBlock\w*)[ \t]*;/m.exec(text) ?? [];
  return (
    name && `has "${name};", which does nothing: a result is made by calling it. Write ${/^emit/.test(name) ? "" : "return "}${name}("…").`
  );
}

/** An answer that a function gives and nothing prints. */
function droppedAnswer(text: string): string | undefined {
  if (!/\breturn\s*\(?\s*\{\s*["']?(?:decision|hookSpecificOutput|permissionDecision|continue)["']?\s*:/.test(text)) return undefined;
  if (/\bprint\(|\bstdout\b|\bexit|console\.|\bwriteSync\b|\bexecv?|\.write\(|\bimport\b.{0,300}["']\.|\brequire\(["']\./.test(text))
    return undefined;
  return "returns its answer from a function and prints nothing, so no agent gets it. Print it as JSON to stdout.";
}

/** `json.dumps(answer)` by itself: it is made, and not printed. */
function unprinted(text: string): string | undefined {
  const [, made, by] =
    /(?:[^\s(,=\\[+{%|&?:>]\s*\n|;|\)[ \t]|^[ \t]*(?:if|elif|else|for|while|try|with|def|except)\b[^\n]{0,300}:\s*)[ \t]*((json\.dumps|JSON\.stringify)\(\s*\{\s*["']?(?:decision|hookSpecificOutput|continue)\b)/m.exec(
      text,
    ) ?? [];
  if (made === undefined) return undefined;
  const print = by === "json.dumps" ? "print" : "console.log";
  return `makes its answer with ${by}(…) and does not print it, so no agent gets it. Write ${print}(${by}(…)).`;
}

/** `sys.exit` names the function and does not call it. */
function uncalledExit(text: string): string | undefined {
  const [, name] = /(?:^|[:;])[ \t]*(sys\.exit|os\._exit|process\.exit)[ \t]*(?:;|#.*|\/\/.*)?$/m.exec(text) ?? [];
  return name && `has "${name}" without (), which does nothing. To block, write ${name}(2).`;
}

export const NODE_SLIPS: readonly Slip[] = [droppedAnswer, unprinted, uncalledExit, misnamed];
export const PYTHON_SLIPS: readonly Slip[] = [swallowedExit, pythonSlip, droppedAnswer, unprinted, uncalledExit, misnamed];
