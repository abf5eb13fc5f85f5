import { createHash } from "node:crypto";
import { canonicalJson, type RegisteredHook } from "../../config/index.ts";
import { type Examination, realPath } from "./examine-hook.ts";
import type { Look } from "./hash-file.ts";

/** One file whose bytes are part of a hook. */
export interface FilePin {
  /** Relative to the hook's root, absolute if it lies outside. */
  readonly path: string;
  /** Where it really is. */
  readonly realpath: string;
  readonly isExecutable: boolean;
  readonly sha256: string;
  /** It lies neither in the project nor in the hook's own folder: its bytes count, but neither they nor their digest are shown. */
  readonly isOutside?: true | undefined;
}

/** `closed`: everything it runs was followed to its end by readers that know all of what they accept, or that was said. */
export const RULES = "closed" as const;

/** Everything that trust in a hook is bound to. */
export interface HookRecord {
  /** Which rules said what belongs to it. Absent in approvals of older versions. */
  readonly rules?: typeof RULES | "proven" | undefined;
  readonly root: string;
  readonly source: Readonly<Record<string, string>>;
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly kind: string;
  readonly sequential: boolean;
  /** The entry's own fields as declared, without those that are only shown. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Programs it starts by name, and where each was found. */
  readonly programs: Readonly<Record<string, string>>;
  readonly files: readonly FilePin[];
  /** What decides how its scripts are read without being named: modules in the folder of a Python script, `type` of a `package.json`. Absent in approvals of older versions. */
  readonly surroundings?: Readonly<Record<string, unknown>> | undefined;
}

/** What looking at a hook gave. Nothing of it was run. */
export interface HookPins {
  readonly digest: string;
  readonly record: HookRecord;
  /** What it runs that could not be pinned, in words. */
  readonly unresolved: readonly string[];
  /** Code of the project that a hook of the user would run, in words: whose project it is decides what the hook does. */
  readonly foreign?: readonly string[] | undefined;
  /** Patterns of its `files` that fit nothing. */
  readonly unmatched?: readonly string[] | undefined;
  /** What it names that is not there. */
  readonly missing: readonly string[];
  /** It cannot be trusted at all, and why. */
  readonly untrustable?: string | undefined;
  /** Texts of the small files among `files`, by digest: for a diff. */
  readonly texts: ReadonlyMap<string, string>;
  /** Files that only its scripts name, there or not: what appears or changes there changes the hook. */
  readonly implied: readonly string[];
  /** Folders in which a new file would be loaded in place of another; the agent's tools may not put one there. */
  readonly moduleFolders: readonly string[];
}

/** Where a hook will run. */
export interface PinPlace {
  readonly projectRoot: string;
  readonly home: string;
  /** `PATH` of the session. */
  readonly path: string;
}

// What an approval is bound to: everything that looking at a hook found, and the digest of it.

/** Only shown, never run. */
const DISPLAY_FIELDS: readonly string[] = ["name", "statusMessage", "description"];

/** What is found of a hook while it is pinned. */
export interface Pinning {
  readonly look: Look;
  readonly examination: Examination;
  readonly root: string;
  readonly projectRoot: string;
  /** The folder that git keeps, which may be above the session's. */
  readonly checkout: string;
  readonly cwd: string;
  readonly files: Map<string, FilePin>;
  readonly programs: Record<string, string>;
  readonly unresolved: Set<string>;
  readonly missing: Set<string>;
  readonly texts: Map<string, string>;
  readonly implied: Set<string>;
  readonly surroundings: Record<string, unknown>;
  readonly moduleFolders: Set<string>;
  readonly foreign: Set<string>;
  /** Names in its scripts that are files of the current folder, if of any. */
  readonly names: Set<string>;
  /** Names of files that its scripts read, there or not. */
  readonly data: Set<string>;
  /** Scripts that were looked through, with what runs them. */
  readonly read: Set<string>;
  isOver: boolean;
  bytes: number;
  textBytes: number;
}

export function recordOf({ examination, root, projectRoot, files, programs, surroundings, foreign }: Pinning): HookRecord {
  const { event, matcher, target, source, sequence, fields = {} } = examination.hook;
  return {
    rules: RULES,
    root,
    source: { ...sourceOf(source), ...(foreign.size > 0 && { project: projectRoot, runs: [...foreign].sort().join("; ") }) },
    event,
    ...(matcher !== undefined && { matcher }),
    kind: target.kind,
    sequential: sequence !== undefined,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !DISPLAY_FIELDS.includes(name))),
    programs,
    files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    surroundings,
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

/** SECURITY: the one definition of what an approval is bound to; the first line keeps it apart from every other digest. */
export function digestOf(record: HookRecord): string {
  return digestAs("hookloop-trust-v4", record);
}

/** What approvals of older versions are bound to: they are shown as what was approved before, and trust nothing. */
export function digestsOfOldForms(record: HookRecord): readonly string[] {
  return ["hookloop-trust-v3", "hookloop-trust-v2"].map((form) => digestAs(form, record));
}

function digestAs(form: string, record: HookRecord): string {
  return `sha256:${createHash("sha256")
    .update(`${form}\n${canonicalJson(record)}`)
    .digest("hex")}`;
}
