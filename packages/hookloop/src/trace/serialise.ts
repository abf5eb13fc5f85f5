import type { TraceRecord } from "../engine/index.ts";
import type { BlobReference } from "./blob.ts";
import { RECORD_LIMIT } from "./limits.ts";
import type { Redactor } from "./redact.ts";

/** Fields every record has; they are never moved out of it. */
const FIXED = ["v", "seq", "t", "mono", "session", "event", "step", "hook"];

/** One line of JSON without secrets. Never throws: what JSON cannot hold (cycles, big integers) is named instead. */
export function serialise(record: TraceRecord, redactor: Redactor | undefined): string {
  try {
    const json = JSON.stringify(record);
    if (!redactor?.suspects(json)) return json;
    // From the JSON, not from the record: what toJSON() and getters gave is what must be clean.
    const parsed: unknown = JSON.parse(json);
    const redacted = redactor.value(parsed);
    return redacted === parsed ? json : JSON.stringify({ ...(redacted as TraceRecord), redacted: true });
  } catch (error) {
    const { v, seq, t, mono, session, event, step, hook } = record;
    return JSON.stringify({
      v,
      seq,
      t,
      mono,
      session,
      event,
      step,
      hook,
      unserialisable: String((error as Error)?.message ?? error).slice(0, 200),
    });
  }
}

/** Moves the largest fields out of a line until it fits. `save` gives what stands in their place. */
export function shorten(line: string, save: (json: string) => BlobReference): string {
  const record = JSON.parse(line) as Record<string, unknown>;
  const bodies = Object.entries(record)
    .filter(([name]) => !FIXED.includes(name))
    .map(([name, value]) => ({ name, json: JSON.stringify(value) }))
    .sort((a, b) => b.json.length - a.json.length);
  for (const { name, json } of bodies) {
    record[name] = save(json);
    const shorter = JSON.stringify(record);
    if (Buffer.byteLength(shorter) < RECORD_LIMIT) return shorter;
  }
  // Only the fixed fields are left: an id of 256 KiB is nobody's id.
  for (const name of FIXED) if (typeof record[name] === "string") record[name] = (record[name] as string).slice(0, 1_000);
  return JSON.stringify(record);
}
