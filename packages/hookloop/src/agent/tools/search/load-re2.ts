import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

/** Patterns that run in time linear in the text. Loading costs 11 ms, and most sessions never search: required on first use. */
export function loadRe2(): typeof RE2JS {
  return (createRequire(import.meta.url)("re2js") as typeof import("re2js")).RE2JS;
}
