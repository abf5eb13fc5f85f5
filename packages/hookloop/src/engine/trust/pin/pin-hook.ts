// Takes what a hook names and the folder it would run in; gives the digest of everything it runs, and what could not be pinned.
// Refuses: more files or bytes than can be looked at before each run.
import { createHash } from "node:crypto";
import path from "node:path";
import { canonicalJson } from "../../registry/index.ts";
import type { RegisteredHook } from "../../registry/types.ts";
import { declaredFiles } from "./declared-files.ts";
import { type Examination, isInside, realPath, rootOf } from "./examine-hook.ts";
import { realProgram } from "./find-program.ts";
import { hashFile, lookAt } from "./hash-file.ts";
import { loadsOthers, siblingsOf } from "./loads-others.ts";
import type { FilePin, HookPins, HookRecord } from "./types.ts";

const MAX_BYTES = 10 * 1024 * 1024;
/** Texts that are kept, each and together, so that a change can be shown. */
const MAX_TEXT = 64 * 1024;
const MAX_TEXTS = 2 * 1024 * 1024;
/** Only shown, never run. */
const DISPLAY_FIELDS: readonly string[] = ["name", "statusMessage", "description"];

interface Pinning {
  readonly examination: Examination;
  readonly root: string;
  readonly projectRoot: string;
  readonly cwd: string;
  readonly files: Map<string, FilePin>;
  readonly programs: Record<string, string>;
  readonly unresolved: Set<string>;
  readonly missing: Set<string>;
  readonly texts: Map<string, string>;
  readonly implied: Set<string>;
  bytes: number;
  textBytes: number;
}

/** Pins a hook as it would run in `cwd` now. */
export function pinHook(examination: Examination, cwd: string): HookPins {
  const { place, unresolved } = examination;
  const pinning: Pinning = {
    examination,
    root: rootOf(examination),
    projectRoot: realPath(place.projectRoot),
    cwd,
    files: new Map(),
    programs: {},
    unresolved: new Set(unresolved),
    missing: new Set(),
    texts: new Map(),
    implied: new Set(),
    bytes: 0,
    textBytes: 0,
  };
  const declared = declaredFiles(examination.declared, examination.hook.source.plugin?.root ?? examination.hook.source.root);
  for (const file of declared.files) pinFile(pinning, { file, isScript: false });
  for (const pattern of declared.unmatched) pinning.unresolved.add(`"files" names ${pattern}, and there is nothing`);
  for (const named of examination.files) pinNamed(pinning, named);
  for (const program of examination.programs) pinProgram(pinning, program);
  for (const one of examination.interpreted) checkInterpreted(pinning, one);
  const record = recordOf(pinning);
  return {
    digest: digestOf(record),
    record,
    unresolved: [...pinning.unresolved].sort(),
    missing: [...pinning.missing].sort(),
    untrustable: tooMuch(declared.isTooMany, pinning.bytes),
    texts: pinning.texts,
    implied: [...pinning.implied],
  };
}

/** SECURITY: the one definition of what an approval is bound to; the first line keeps it apart from every other digest. */
export function digestOf(record: HookRecord): string {
  return `sha256:${createHash("sha256")
    .update(`hookloop-trust-v1\n${canonicalJson(record)}`)
    .digest("hex")}`;
}

function tooMuch(isTooMany: boolean, bytes: number): string | undefined {
  if (!isTooMany && bytes <= MAX_BYTES) return undefined;
  return 'it names more than 500 files or 10 MiB, which is too much to check before each run; narrow its "files"';
}

function pinNamed(pinning: Pinning, { path: named, role }: Examination["files"][number]): void {
  const file = path.resolve(pinning.cwd, named);
  const found = lookAt(file);
  if (role === "script" && found.kind === "missing") {
    pinning.missing.add(named);
    pinning.unresolved.add(`${named} is not there`);
  }
  if (role === "script" && (found.kind === "folder" || found.kind === "other")) pinning.unresolved.add(`${named} is not a file`);
  if (found.kind !== "file") return;
  if (isForeign(pinning, named, found.realpath)) pinning.unresolved.add(`${named} depends on the folder the session runs in`);
  else if (role === "program" && !isInside(pinning.projectRoot, found.realpath)) pinning.programs[named] = found.realpath;
  else pinFile(pinning, { file, isScript: role === "script" });
}

/** A file of the project, or one beside wherever the session is, named by a hook of the user. */
function isForeign({ examination, projectRoot }: Pinning, named: string, realpath: string): boolean {
  return examination.isOfUser && (!path.isAbsolute(named) || isInside(projectRoot, realpath));
}

function pinProgram(pinning: Pinning, name: string): void {
  const { examination, projectRoot, cwd } = pinning;
  const found = realProgram(name, examination.place.path, cwd);
  if (found === undefined) {
    pinning.missing.add(name);
    pinning.unresolved.add(`${name} is not found in PATH`);
    return;
  }
  if (!isInside(projectRoot, found)) {
    pinning.programs[name] = found;
    return;
  }
  // PATH leads into the checkout: what is found there is no program of the machine.
  if (examination.isOfUser) pinning.unresolved.add(`${name} is found in the project`);
  else pinFile(pinning, { file: found, isScript: true });
}

function pinFile(pinning: Pinning, { file, isScript }: { readonly file: string; readonly isScript: boolean }): void {
  const found = lookAt(file);
  if (found.kind !== "file" || pinning.files.has(file)) return;
  const hashed = hashFile(found.realpath, MAX_BYTES);
  const name = shownPath(pinning.root, file);
  if (!hashed) {
    pinning.unresolved.add(`${name} is too large or cannot be read`);
    return;
  }
  pinning.bytes += hashed.size;
  pinning.files.set(file, { path: name, realpath: found.realpath, isExecutable: found.isExecutable, sha256: hashed.sha256 });
  if (hashed.text !== undefined) readText(pinning, { file: found.realpath, name, isScript, sha256: hashed.sha256, text: hashed.text });
}

interface ScriptText {
  readonly file: string;
  readonly name: string;
  readonly isScript: boolean;
  readonly sha256: string;
  readonly text: string;
}

function readText(pinning: Pinning, { file, name, isScript, sha256, text }: ScriptText): void {
  if (text.length <= MAX_TEXT && pinning.textBytes + text.length <= MAX_TEXTS) {
    pinning.texts.set(sha256, text);
    pinning.textBytes += text.length;
  }
  const isDeclared = pinning.examination.declared.length > 0;
  if (!isDeclared && loadsOthers({ file, text, isScript })) pinning.unresolved.add(`${name} loads other files: declare them in "files"`);
  // SECURITY: what a script loads without saying where is part of it as soon as it is there.
  for (const sibling of siblingsOf({ file, text, isScript })) pinImplied(pinning, { file: sibling, isScript: false });
  readFirstLine(pinning, text);
}

/** `#!/usr/bin/env -S node -r ./x.cjs`: the interpreter, and whatever of the project the line names. */
function readFirstLine(pinning: Pinning, text: string): void {
  const [, line] = /^#![ \t]*([^\n]*)/.exec(text) ?? [];
  if (line === undefined) return;
  const interpreter = /^\/usr\/bin\/env\s+(?:-S\s+)?([\w.-]+)/.exec(line)?.[1];
  if (interpreter !== undefined && !(interpreter in pinning.programs)) pinProgram(pinning, interpreter);
  for (const word of line.split(/[\s=]+/).filter(Boolean)) {
    const found = lookAt(path.resolve(pinning.cwd, word));
    if (found.kind === "file" && isInside(pinning.projectRoot, found.realpath))
      pinImplied(pinning, { file: path.resolve(pinning.cwd, word), isScript: true });
  }
}

function pinImplied(pinning: Pinning, implied: { readonly file: string; readonly isScript: boolean }): void {
  pinning.implied.add(implied.file);
  pinFile(pinning, implied);
}

function checkInterpreted(pinning: Pinning, { program, scripts }: Examination["interpreted"][number]): void {
  if (scripts.some((script) => lookAt(path.resolve(pinning.cwd, script)).kind === "file")) return;
  const [script] = scripts;
  if (script !== undefined) pinning.missing.add(script);
  pinning.unresolved.add(
    script === undefined ? `${program} reads its code from its input` : `${script}, which ${program} runs, is not a file that is there`,
  );
}

function recordOf({ examination, root, files, programs }: Pinning): HookRecord {
  const { event, matcher, target, source, sequence, fields = {} } = examination.hook;
  return {
    root,
    source: sourceOf(source),
    event,
    ...(matcher !== undefined && { matcher }),
    kind: target.kind,
    sequential: sequence !== undefined,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !DISPLAY_FIELDS.includes(name))),
    programs,
    files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function sourceOf({ scope, dialect, plugin, skill }: RegisteredHook["source"]): Readonly<Record<string, string>> {
  return {
    scope,
    dialect,
    ...(plugin && { plugin: plugin.id, pluginRoot: realPath(plugin.root) }),
    ...(skill && { skill: skill.name, skillRoot: realPath(skill.root) }),
  };
}

function shownPath(root: string, file: string): string {
  const real = path.join(realPath(path.dirname(file)), path.basename(file));
  return isInside(root, real) ? path.relative(root, real) : real;
}
