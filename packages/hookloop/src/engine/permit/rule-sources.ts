import type { ConfigDocument } from "../../config/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import {
  type DecideContext,
  decide,
  type PermissionCall,
  type PermissionDecision,
  type PermissionMode,
  type RuleScope,
  type RuleSet,
  type RuleSource,
  readRules,
} from "../../permissions/index.ts";

interface RulePlace {
  readonly root: string;
  readonly home: string;
  readonly tools: readonly string[];
}

/** What all documents say about permissions: for `readRules`, and what of it holds without. `isTrusted`: the workspace is; it matters only for what a checkout brings along. */
export function filePermissions(
  documents: readonly ConfigDocument[],
  { isTrusted, ...place }: RulePlace & { readonly isTrusted: boolean },
): { readonly ruleSources: readonly RuleSource[]; readonly fileRules: FileRules } {
  const ruleSources = documents.map(({ source: { scope, file, root }, permissions }): RuleSource => {
    return { scope: scope satisfies RuleScope, file, root, isTrusted, permissions };
  });
  return { ruleSources, fileRules: readFileRules(ruleSources, place) };
}

/** What the files say about permissions that holds also for a program without rules of its own: deny and ask rules. */
export interface FileRules {
  /** What they, hooks and protections say about the call; nothing if there are no such rules. */
  readonly judge: (call: PermissionCall, context: Said) => PermissionDecision | undefined;
  /** A mode that would forbid something, and that only the program's own rules bring. */
  readonly unapplied?: PermissionMode | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Deny and ask rules that cannot be read: what they were to forbid is not known. */
  readonly lost: readonly Diagnostic[];
}

type Said = Pick<DecideContext, "hook" | "isAnswered" | "protect">;

const STRICT_MODES: readonly (PermissionMode | undefined)[] = ["plan", "dontAsk"];

/** SECURITY: whoever wrote a deny rule into a settings file believes that it holds, whatever the program hands to `runTool`. */
function readFileRules(sources: readonly RuleSource[], { root, home, tools }: RulePlace): FileRules {
  const { rules, diagnostics } = readRules(sources, { home, tools });
  const guards: RuleSet = { deny: rules.deny, ask: rules.ask, allow: [], directories: [], isBypassDisabled: false };
  const isEmpty = guards.deny.length + guards.ask.length === 0;
  return {
    judge: (call, said) => {
      if (isEmpty) return undefined;
      // In this mode only what speaks against a call is heard.
      const decided = decide(call, guards, { ...said, root, home, mode: "bypassPermissions" });
      const { decision, likeness } = decided;
      return decision === "allow"
        ? { decision, by: { kind: "default" }, reason: "No rule is against it.", runnersUp: [], likeness }
        : decided;
    },
    ...(STRICT_MODES.includes(rules.mode) && { unapplied: rules.mode }),
    // What a checkout may not loosen is the business of those who let files loosen something.
    lost: diagnostics.some(isError) ? readRules(sources.map(withoutAllow), { home, tools }).diagnostics.filter(isError) : [],
    diagnostics: diagnostics.filter(({ code }) => code !== "HL_PERMISSION_UNTRUSTED"),
  };
}

function isError({ level }: Diagnostic): boolean {
  return level === "error";
}

function withoutAllow({ permissions: { deny, ask }, ...source }: RuleSource): RuleSource {
  return { ...source, permissions: { deny, ask } };
}
