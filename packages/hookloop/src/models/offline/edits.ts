/** Calls that write a file and change its lines. A file is read before its lines are changed, so nothing of it is lost and hooks for Edit and Write see it. */

import { counted } from "../../diagnostic.ts";
import type { ToolResultBlock } from "../../run/index.ts";
import { type About, bash, type Draft, type Reading, resultText, shellWord } from "./phrase.ts";

export function write(file: string, content: string): readonly Draft[] {
  return [{ tool: "Write", purpose: "create", input: { file_path: file, content } }];
}

/** A text as the lines of a file. */
export function lines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

export function edit(file: string, from: string, to: string): readonly Draft[] {
  return [{ tool: "Edit", purpose: "change", input: { file_path: file, old_string: from, new_string: to, replace_all: true } }];
}

const NOT_THERE = /no file|does not exist/i;

/** A new file without a text: what is there already is not emptied by the way. */
export function createEmpty(file: string, about: About): readonly Draft[] {
  const there = `${file} is already there, so I wrote nothing. To add to it: add a line "TEXT" to ${file}. To begin it anew: write "TEXT" to ${file}.`;
  return unlessThere(file, { there, drafts: write(file, "") }, about);
}

/** What is done only where there is no such file; else it is said. */
export function unlessThere(
  file: string,
  { there, drafts }: { readonly there: string; readonly drafts: readonly Draft[] },
  { tools }: About,
): readonly Draft[] {
  // A name with signs of a pattern in it is looked up by reading it.
  const isPlain = !/[*?[\]{}!()\\]|^\.?\.\/|^[/~]|(?:^|\/)(?:\.git|node_modules)\//.test(file);
  if (isPlain && (tools === undefined || tools.has("Glob")))
    return [
      {
        tool: "Glob",
        purpose: "prepare",
        input: { pattern: file.replace(/^@(?=[^/])/, "") },
        subject: file,
        next: (result) => (result.is_error ? [] : /^\//m.test(resultText(result)) ? there : drafts),
      },
    ];
  if (tools && !tools.has("Read")) return drafts;
  const next = (result: ToolResultBlock): readonly Draft[] | string =>
    !result.is_error ? there : NOT_THERE.test(resultText(result)) ? drafts : [];
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

/** The lines of a file that was shown whole; nothing if a part is missing or was cut. */
function numberedLines(shown: string): readonly string[] | undefined {
  if (/^<system-reminder>.*contents are empty|^\(the file is empty\)$|^$/.test(shown)) return [];
  const all = shown.split("\n").map((line) => /^ *\d+(?:\t|→)(.*)$/s.exec(line)?.[1]);
  if (all.some((line) => line === undefined || / more characters\]$/.test(line))) return undefined;
  const own = all as readonly string[];
  return own.at(-1) === "" ? own.slice(0, -1) : own;
}

/** Reads a file before a change that depends on its lines; one that is seen only in part is left alone. */
export function readFirst(file: string, change: (own: readonly string[]) => readonly Draft[] | string): Reading {
  const next = (result: ToolResultBlock): readonly Draft[] | string => {
    if (result.is_error) return [];
    const own = numberedLines(resultText(result));
    return own === undefined ? `I see ${file} only in part, so I changed nothing.` : change(own);
  };
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

/** A line more, at the end or at the top; a file that is not there begins with it. */
export function addLine(file: string, text: string, isFirst = false): readonly Draft[] {
  const next = (result: ToolResultBlock): readonly Draft[] | string => {
    const shown = resultText(result);
    if (result.is_error) return NOT_THERE.test(shown) ? write(file, lines(text)) : [];
    const own = numberedLines(shown);
    if (own === undefined) return [bash(`printf '%s\\n' ${shellWord(text)} >> ${shellWord(file)}`, "change")];
    if (own.every((line) => line === "")) return write(file, lines(text));
    // The line that says what runs a script stays the first.
    const isAbove = isFirst && !own[0]?.startsWith("#!");
    return replaceLines(file, own, isFirst ? 0 : own.length - 1, (line) => (isAbove ? `${text}\n${line}` : `${line}\n${text}`));
  };
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

/** Which line is meant, from 0; or why that cannot be said. */
export function lineAt(own: readonly string[], anchor: number | string, file: string): number | string {
  if (typeof anchor === "number") {
    const at = anchor < 0 ? own.length + anchor : anchor - 1;
    return own[at] === undefined ? `${file} has ${counted(own.length, "line")}, so I changed nothing.` : at;
  }
  const exact = own.flatMap((line, at) => (line === anchor ? at : []));
  const found = exact.length > 0 ? exact : own.flatMap((line, at) => (line.includes(anchor) ? at : []));
  if (found.length === 1) return found[0] ?? 0;
  if (found.length === 0) return `"${anchor}" is not in ${file}, so I changed nothing.`;
  const numbers = found.map((at) => at + 1).join(", ");
  return `"${anchor}" is in several lines of ${file} (${numbers}), so I changed nothing. Say which one: before line ${(found[0] ?? 0) + 1}.`;
}

/** Changes one line that is named by its number or by text in it; without a new text it goes. */
export function changeLine(file: string, anchor: number | string, change: (line: string) => string | undefined): Reading {
  return readFirst(file, (own) => {
    const at = lineAt(own, anchor, file);
    return typeof at === "string" ? at : replaceLines(file, own, at, change);
  });
}

/** One line, with as much around it as is there only once; without a new text it goes. */
export function replaceLines(
  file: string,
  own: readonly string[],
  at: number,
  change: (line: string) => string | undefined,
  { before }: { readonly before?: (line: string) => string } = {},
): readonly Draft[] | string {
  const text = own.join("\n");
  const changed = change(own[at] ?? "");
  // The line before one that goes is needed for the end of it.
  const least = changed === undefined || before ? 1 : 0;
  if (changed === undefined && own.length === 1) return write(file, "");
  for (let more = least; more <= own.length; more++) {
    const [from, to] = [Math.max(0, at - more), Math.min(own.length, at + more + 1)];
    const old = own.slice(from, to).join("\n");
    if (old === "" || text.split(old).length !== 2) continue;
    const above = own.slice(from, at).map((line, index) => (before && from + index === at - 1 ? before(line) : line));
    const fresh = [...above, ...(changed === undefined ? [] : [changed]), ...own.slice(at + 1, to)].join("\n");
    return [{ tool: "Edit", purpose: "change", input: { file_path: file, old_string: old, new_string: fresh } }];
  }
  return `I cannot tell that line of ${file} from the others, so I changed nothing.`;
}

/** How a comment is written; nothing where that is not known. */
export function comment(text: string, file: string): string | undefined {
  if (/\.(?:[cm]?[jt]sx?|c|h|cpp|cs|java|go|rs|swift|kt|php|scss)$/i.test(file)) return `// ${text}`;
  if (/\.(?:py|rb|sh|bash|ya?ml|toml|pl|conf|env)$|(?:^|\/)(?:Makefile|Dockerfile|\.env|\.gitignore)$/i.test(file)) return `# ${text}`;
  if (/\.(?:md|html?|xml|svg|vue)$/i.test(file)) return `<!-- ${text} -->`;
  return /\.css$/i.test(file) ? `/* ${text} */` : undefined;
}
