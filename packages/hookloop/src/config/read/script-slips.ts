import { TOOL_NAMES } from "../../catalogue/index.ts";

// Slips of scripts that are to judge something, which end in exit code 0 without a word. Only what begins a line is looked at where it matters
// that it surely runs: branches and functions may never.

/** Why a shell script lets through what it should not, as the rest of a sentence. */
export function shellSlip(text: string): string | undefined {
  const lines = text
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => !/^\s*#/.test(line));
  return readTwice(lines) ?? plainGrep(lines) ?? quotedName(lines);
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

/** Why a Python script lets through what it should not. */
export function pythonSlip(text: string): string | undefined {
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

function short(line: string): string {
  return line.trim().slice(0, 40);
}
