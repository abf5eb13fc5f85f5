import type { RegisteredHook } from "../../config/index.ts";
import type { HookPins } from "./pin/index.ts";
import { sealRecord, type TrustRecord, type TrustRecords } from "./store/index.ts";
import { isSameFile } from "./withhold.ts";

export interface PinnedHook {
  readonly hook: RegisteredHook;
  readonly pins: HookPins;
}

/**
 * For each hook that has no record: what was approved in its place before. That is a record of the same file, event and kind
 * whose own hook is gone; the one most like it. So a swapped command is a change, not something new.
 */
export function findBefore(hooks: readonly PinnedHook[], records: TrustRecords): ReadonlyMap<RegisteredHook, TrustRecord> {
  const present = new Set(hooks.map(({ pins }) => pins.digest));
  const free = [...records.values()].filter(({ digest, decision }) => decision.verdict === "approved" && !present.has(digest));
  const pairs = hooks
    .filter(({ pins }) => !records.has(pins.digest))
    .flatMap((one) =>
      free.filter((record) => isSamePlace(one, record)).map((record) => ({ ...one, record, likeness: likeness(one.pins, record) })),
    )
    .sort((a, b) => b.likeness - a.likeness);
  const found = new Map<RegisteredHook, TrustRecord>();
  const used = new Set<string>();
  for (const { hook, record } of pairs) {
    if (found.has(hook) || used.has(record.digest)) continue;
    found.set(hook, record);
    used.add(record.digest);
  }
  return found;
}

function isSamePlace({ hook, pins: { record: now } }: PinnedHook, { file, definition }: TrustRecord): boolean {
  return (
    definition.root === now.root &&
    definition.event === now.event &&
    definition.kind === now.kind &&
    definition.source["scope"] === now.source["scope"] &&
    // What a hook of the user may run in another project says nothing of this one.
    (definition.source["project"] ?? now.source["project"]) === now.source["project"] &&
    // Last: it looks at the disk.
    isSameFile(file, sourceFile(hook))
  );
}

/** What stands for the configuration of a hook in its record. */
export function sourceFile({ source }: RegisteredHook): string {
  return source.file ?? source.root;
}

const TARGETS: readonly string[] = ["command", "url", "path", "prompt", "server"];

function likeness({ record }: HookPins, { definition }: TrustRecord): number {
  const { fields } = sealRecord(record);
  const isSameTarget = TARGETS.every((name) => fields[name] === definition.fields[name]);
  const paths = new Set(definition.files.map(({ path }) => path));
  const sharesFile = record.files.some(({ path }) => paths.has(path));
  return (isSameTarget ? 4 : 0) + (sharesFile ? 2 : 0) + (record.matcher === definition.matcher ? 1 : 0);
}
