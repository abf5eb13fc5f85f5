import { canonicalJson } from "../../../config/index.ts";
import type { FilePin, HookRecord } from "../pin/index.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface DiffSides {
  readonly before: HookRecord;
  readonly after: HookRecord;
  /** `after` as the store would keep it, if `before` comes from there: what differs only in what is not kept is the same. */
  readonly sealed?: HookRecord | undefined;
  /** The text of a file by its digest, if it was kept. */
  readonly textBefore: (sha256: string) => string | undefined;
  readonly textAfter: (sha256: string) => string | undefined;
}

/** What is different between the hook that was approved and the hook that is there now. */
export function diffRecords(sides: DiffSides): string {
  return [...diffDefinition(sides), ...diffFiles(sides)].join("\n");
}

function diffDefinition({ before, after, sealed = after }: DiffSides): readonly string[] {
  const [old, now, kept] = [flat(before), flat(after), flat(sealed)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    // SECURITY: what is there now is shown in full, since it is what the answer is about.
    if (old[name] === kept[name]) return [];
    return [
      ...(old[name] === undefined ? [] : [`- ${name}: ${old[name]}`]),
      ...(now[name] === undefined ? [] : [`+ ${name}: ${now[name]}`]),
    ];
  });
}

function flat({ files: _files, fields, programs, source, surroundings = {}, ...rest }: HookRecord): Readonly<Record<string, string>> {
  const named = Object.entries(programs).map(([name, value]) => [`program ${name}`, value]);
  const around = Object.entries(surroundings).map(([name, value]) => [`around it, ${name}`, value] as const);
  const entries = [...Object.entries(rest), ...Object.entries(source), ...Object.entries(fields), ...named, ...around];
  return Object.fromEntries(entries.map(([name, value]) => [name, canonicalJson(value)]));
}

function diffFiles({ before, after, textBefore, textAfter }: DiffSides): readonly string[] {
  const paths = [...new Set([...before.files, ...after.files].map(({ path }) => path))].sort();
  return paths.flatMap((path) => {
    const old = before.files.find((file) => file.path === path);
    const now = after.files.find((file) => file.path === path);
    if (!old || !now) return [old ? `- file ${path}` : `+ file ${path}`, ...(now ? contentOf(textAfter(now.sha256), "+") : [])];
    return diffFile(old, now, [textBefore(old.sha256), textAfter(now.sha256)]);
  });
}

function contentOf(text: string | undefined, mark: "+"): readonly string[] {
  return text === undefined ? [] : unifiedDiff("", text).map((line) => `${mark}${line.slice(1)}`);
}

function diffFile(old: FilePin, now: FilePin, [before, after]: readonly [string | undefined, string | undefined]): readonly string[] {
  const lines: string[] = [];
  if (old.realpath !== now.realpath) lines.push(`- ${old.path} is ${old.realpath}`, `+ ${now.path} is ${now.realpath}`);
  if (old.isExecutable !== now.isExecutable) lines.push(`${now.isExecutable ? "+" : "-"} ${now.path} is executable`);
  if (old.sha256 === now.sha256) return lines;
  // SECURITY: a project names what it likes; a digest would say what is in a file of the user.
  if (now.isOutside) return [...lines, `+ ${now.path} has other content than was approved (a file outside the project: not shown)`];
  lines.push(`--- ${old.path} (approved, ${old.sha256.slice(0, 12)})`, `+++ ${now.path} (now, ${now.sha256.slice(0, 12)})`);
  if (before === undefined || after === undefined) return [...lines, "  its text was not kept: only the digests can be compared"];
  return [...lines, ...unifiedDiff(before, after)];
}
