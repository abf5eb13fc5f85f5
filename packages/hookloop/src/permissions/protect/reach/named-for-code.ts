/**
 * Takes a line that gives code to another language, as an argument or on its input. If that code writes, moves, copies, or goes to another folder, gives
 * what is protected under a name that stands in the code or on the line, or below a folder that does. Where such code gets its names from cannot
 * be told: an argument, its input, a folder it is in, two texts that it joins.
 */
import { basename } from "node:path";
import type { ShellReading } from "../../../shell/index.ts";
import { type CodeOnLine, codeOnLine, pathTokens, placesOfText, type TouchedPath } from "../../../shell/index.ts";
import { comparablePath, realTarget } from "../../paths/index.ts";
import { headedBy, type Reach, type Reached } from "./candidates.ts";
import { isAboveAll, reachedBy } from "./reached-by.ts";

/** What writes, moves, copies, unpacks, takes rights away, starts a program, or opens a file to write to it. */
const WRITES =
  /writ|append|put_contents|rmsync|cpsync|rmdir|unlink|remove|delete|renam|rmtree|copy|move|extract|unpack|retrieve|\blink|symlink|truncate|chmod|chown|dump\b|save|touch|system|popen|exec|spawn|subprocess|shutil|sink\b|file\s*=|,\s*(?:mode\s*=\s*)?["'`](?:r\+[bt]?|[rb]?[wax][bt]?\+?[bt]?)["'`]|["'`]\s*\+?>|O_(?:WRONLY|RDWR|CREAT|TRUNC)|\b(?:mv|rm|cp|tee|ln|dd)\b|\.replace\(\s*[^,()]*\)/i;
/** awk sends what it prints to a file, or to a command, that is named only when it runs. Whole texts are read elsewhere. */
const AWK_WRITES =
  /\bprintf?\b[^;}\n]*(?:>>?|\|&?)\s*(?!["\d>|\s])|\bprintf?\b[^;}\n]*(?:>>?|\|&?)\s*\(|\bprintf?\b[^;}\n]*>>?\s*"[^"]*"\s*[\w$(]|\bsystem\s*\(\s*(?!")|inplace/;
/** What only looks like it. */
const SEEMS_TO_WRITE =
  /\bdumps\b|\bstd(?:out|err)\.write\b|\bjson\.dump\([^()]*(?:\([^()]*\)[^()]*)*,\s*sys\.stdout[^()]*\)|\.replace\(\s*["'`][^"'`]*["'`]\s*,|\bprocess\.exec\w+\b|\.exec\(|\bdeepcopy\b|\bcopy\.copy\b/g;
const QUOTED = /["'`]([^"'`\n]{0,200})["'`]/g;
const PATTERN = /[*?]|\[[^\]]+\]/;
const MAX_NAMES = 200;

/** What code that writes may reach by the names on its line. */
export function reachedByNames(reading: ShellReading, text: string, touched: readonly TouchedPath[], reach: Reach): readonly Reached[] {
  const codes = codeOnLine(reading, reach.context).filter(writesSomething);
  if (codes.length === 0) return [];
  const line = namesOnLine(text, reading, touched);
  return codes.flatMap((code) => {
    const given = code.words.map(({ text }) => text);
    const names = [...new Set([...namesIn(code.code), ...given, ...pairsOf(given), ...line])].slice(0, MAX_NAMES);
    return names.flatMap((name) => reachedByName(name, code, reach));
  });
}

/** Whether code writes, moves, copies, unpacks, or takes rights away. */
export function writesSomething({ program, code }: CodeOnLine): boolean {
  return /awk$/.test(program) ? AWK_WRITES.test(code) : WRITES.test(code.replace(SEEMS_TO_WRITE, ""));
}

/** Two words that code joins. */
function pairsOf(words: readonly string[]): readonly string[] {
  const parts = words.filter((word) => /^[\w.][\w./-]*$/.test(word)).slice(0, 8);
  return parts.flatMap((one) => parts.map((other) => `${one.replace(/\/$/, "")}/${other}`));
}

/** Everything in code that could be a path or a name. */
export function namesIn(text: string): readonly string[] {
  return [...pathTokens(text), ...[...text.matchAll(QUOTED)].map(([, name = ""]) => name)];
}

/** What these read are names, or nothing: what they print may be a name that code takes up. */
const PRINTS_NAMES: ReadonlySet<string> = new Set("find ls dir tree fd echo printf realpath readlink basename dirname".split(" "));

/** The names on the whole line, without those of files whose content is read. */
function namesOnLine(text: string, { commands }: ShellReading, touched: readonly TouchedPath[]): readonly string[] {
  let rest = text;
  for (const { how, span, command } of touched) {
    if (how !== "read" || PRINTS_NAMES.has(basename(commands[command]?.words[0]?.text ?? ""))) continue;
    rest = `${rest.slice(0, span.start)}${" ".repeat(Math.max(0, span.end - span.start))}${rest.slice(span.end)}`;
  }
  return commands.length > 1 ? namesIn(rest) : [];
}

const NOWHERE = { start: 0, end: 0 };

function reachedByName(name: string, { folder }: CodeOnLine, reach: Reach): readonly Reached[] {
  if (/^[\s./~-]*$/.test(name) || /\s/.test(name)) return [];
  return placesOfText(name, PATTERN.test(name), { ...reach.context, folder }).flatMap((place) => {
    if (place.path === undefined) return [];
    const written = { ...place, how: "write" as const, span: NOWHERE, command: 0 };
    return place.isGlob ? reachedBy(written, reach) : [...reachedBy(written, reach), ...below(place.path, reach)];
  });
}

/** What is protected below a folder that is there, unless the folder is one that holds everything: the session's, the home folder, or one above them. */
export function below(path: string, reach: Reach): readonly Reached[] {
  const { places, context } = reach;
  const target = realTarget(path, context);
  const key = comparablePath(target.path, context);
  if (isAboveAll(target, reach)) return [];
  const place = places.find(
    ({ keys, what, isOfModules }) => what !== "hookloop itself" && !isOfModules && keys.some((own) => own.startsWith(`${key}/`)),
  );
  const found = place ?? headedBy(target.path)[0]?.row;
  return found ? [{ what: found.what, why: found.why, path }] : [];
}
