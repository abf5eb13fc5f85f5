import type { RuleScope, RuleSource } from "../../permissions/index.ts";
import type { ConfigDocument } from "../config/types.ts";

/** The permissions of all documents, for `readRules`. `isTrusted`: whether the workspace is trusted; it matters only for what a checkout brings along. */
export function ruleSources(documents: readonly ConfigDocument[], isTrusted: (document: ConfigDocument) => boolean): readonly RuleSource[] {
  return documents.map((document) => {
    const { scope, file, root } = document.source;
    return { scope: scope satisfies RuleScope, file, root, isTrusted: isTrusted(document), permissions: document.permissions };
  });
}
