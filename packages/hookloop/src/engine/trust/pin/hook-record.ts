// What an approval is bound to: everything that looking at a hook found, and the digest of it.
import { createHash } from "node:crypto";
import type { RegisteredHook } from "../../../config/index.ts";
import { canonicalJson } from "../../../config/index.ts";
import { type Examination, realPath } from "./examine-hook.ts";
import type { FilePin, HookRecord } from "./types.ts";

/** Only shown, never run. */
const DISPLAY_FIELDS: readonly string[] = ["name", "statusMessage", "description"];

/** What was found. */
export interface Pinned {
  readonly examination: Examination;
  readonly root: string;
  readonly projectRoot: string;
  readonly files: ReadonlyMap<string, FilePin>;
  readonly programs: Readonly<Record<string, string>>;
  readonly surroundings: Readonly<Record<string, unknown>>;
  readonly foreign: ReadonlySet<string>;
}

export function recordOf({ examination, root, projectRoot, files, programs, surroundings, foreign }: Pinned): HookRecord {
  const { event, matcher, target, source, sequence, fields = {} } = examination.hook;
  return {
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
  return digestAs("hookloop-trust-v2", record);
}

/** What approvals of older versions are bound to: they are shown as what was approved before, and trust nothing. */
export function digestOfOldForm(record: HookRecord): string {
  return digestAs("hookloop-trust-v1", record);
}

function digestAs(form: string, record: HookRecord): string {
  return `sha256:${createHash("sha256")
    .update(`${form}\n${canonicalJson(record)}`)
    .digest("hex")}`;
}
