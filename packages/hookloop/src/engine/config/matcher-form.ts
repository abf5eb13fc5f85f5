import type { Matcher } from "../../catalogue/index.ts";

/** How a matcher is read: everything, a list of names, or a regular expression (spec §4). */
export type MatcherForm =
  | { readonly form: "all" }
  | { readonly form: "names"; readonly names: readonly string[] }
  | { readonly form: "regex" };

const WIDE = /^[A-Za-z0-9_\- ,|]+$/;
const NARROW = /^[A-Za-z0-9_|]+$/;

/** Reads a matcher's form; it says nothing about whether a regular expression is valid. */
export function matcherForm(matcher: string | undefined, column?: Matcher | null): MatcherForm {
  if (matcher === undefined || matcher === "" || matcher === "*") return { form: "all" };
  const isList = (column?.exactCharset === "narrow" ? NARROW : WIDE).test(matcher);
  if (!isList) return { form: "regex" };
  const names = matcher.split(/[|,]/).map((name) => name.trim());
  return { form: "names", names: names.filter((name) => name !== "") };
}
