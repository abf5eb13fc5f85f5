import { digestOf, digestOfOldForm } from "../pin/index.ts";
import { checkOf, sealedRecord } from "./seal-record.ts";
import type { TrustRecord, TrustRecords } from "./types.ts";

const VERSION = 1;

/** The records of a store's text; a message if it is none. */
export function readStoreText(text: string): { readonly records: TrustRecords } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["v"] !== VERSION || !isObject(value["hooks"]))
      return { problem: `it is no trust store of version ${VERSION}` };
    const entries = Object.entries(value["hooks"]);
    if (!entries.every((entry): entry is [string, TrustRecord & Record<string, unknown>] => isRecord(entry)))
      return { problem: "one of its records is damaged" };
    return { records: new Map(entries.map(([key, record]) => [key, record.check === undefined ? sealedAll(record) : record])) };
  } catch (thrown) {
    return { problem: `it is no JSON (${thrown instanceof Error ? thrown.message : String(thrown)})` };
  }
}

export function storeText(records: TrustRecords): string {
  return `${JSON.stringify({ v: VERSION, hooks: Object.fromEntries(records) }, null, 1)}\n`;
}

/** A record of an older version: what it kept in clear is gone with the next change of the store. */
function sealedAll(record: TrustRecord): TrustRecord {
  return sealedRecord({ ...record, ...(record.previous && { previous: sealedRecord(record.previous) }) });
}

/** SECURITY: a record stands under the digest of its own definition; one that does not was made by somebody else, or damaged. */
function isRecord([key, value]: readonly [string, unknown]): boolean {
  if (!isObject(value) || !isObject(value["definition"]) || !isObject(value["decision"])) return false;
  const { digest, id, file, unresolved, definition, decision } = value as unknown as TrustRecord;
  return (
    digest === key &&
    (decision.verdict === "approved" || decision.verdict === "refused") &&
    typeof id === "string" &&
    typeof value["name"] === "string" &&
    typeof file === "string" &&
    Array.isArray(unresolved) &&
    Array.isArray(definition.files) &&
    (value["check"] === undefined
      ? [digestOf(definition), digestOfOldForm(definition)].includes(key)
      : value["check"] === checkOf(value as unknown as TrustRecord))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
