import type { ConfigDocument, Scope } from "../../config/types.ts";
import { BELOW_USER } from "../switch-state.ts";
import type { RegisteredHook } from "../types.ts";
import { matchesUrl } from "./url-pattern.ts";

type Hook = Pick<RegisteredHook, "source">;

/** What the files of a session let http hooks reach and send. */
export interface HttpPolicy {
  /** Why the hook may not post there, or nothing. */
  refusalOf(hook: Hook, url: URL): string | undefined;
  /** Whether the lists let the hook use this variable; its own `allowedEnvVars` is not looked at. */
  mayUse(hook: Hook, variable: string): boolean;
}

/**
 * The lists of managed, flag and user scope together bind every hook. SECURITY: those of a checkout bind its own hooks
 * only, and on top: they can take away, never add, and never reach the user's hooks.
 */
export function httpPolicy(documents: readonly ConfigDocument[]): HttpPolicy {
  const urls = listsOf(documents, "allowedHttpHookUrls");
  const variables = listsOf(documents, "httpHookAllowedEnvVars");
  return {
    refusalOf({ source }, url) {
      const barrier = urls(source.scope).find((list) => !list.some((pattern) => matchesUrl(pattern, url)));
      if (!barrier) return undefined;
      return barrier.length === 0
        ? `"allowedHttpHookUrls" is empty, so no URL is allowed`
        : `"allowedHttpHookUrls" has only ${barrier.join(", ")}`;
    },
    mayUse: ({ source }, variable) => variables(source.scope).every((list) => list.includes(variable)),
  };
}

type ListName = "allowedHttpHookUrls" | "httpHookAllowedEnvVars";

/** The lists that bind hooks of a scope; something is allowed if each of them has it. */
function listsOf(documents: readonly ConfigDocument[], name: ListName): (scope: Scope) => readonly (readonly string[])[] {
  const isBelow = ({ source }: ConfigDocument): boolean => BELOW_USER.includes(source.scope);
  const above = union(documents.filter((document) => !isBelow(document)).map(({ switches }) => switches[name]));
  const below = union(documents.filter(isBelow).map(({ switches }) => switches[name]));
  return (scope) => (BELOW_USER.includes(scope) ? [...above, ...below] : above);
}

/** One list, or none if nobody wrote one. An empty list is a list: it allows nothing. */
function union(lists: readonly (readonly string[] | undefined)[]): readonly (readonly string[])[] {
  const written = lists.filter((list) => list !== undefined);
  return written.length === 0 ? [] : [written.flat()];
}
