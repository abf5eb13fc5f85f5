// Takes the documents of a session and its environment.
// Gives every hook with its options resolved, highest source first, the switches, and what is odd about them as a whole.
// Refuses nothing: whether a hook may run is decided by the trust stage.
import { createHash } from "node:crypto";
import { EVENTS, type EventRow } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { ConfigDocument, HookDeclaration } from "../config/types.ts";
import { canonicalJson } from "./canonical-json.ts";
import { dedupKey } from "./dedup-key.ts";
import { DIALECT_DEFAULTS } from "./dialect-defaults.ts";
import { directionAt, failureDirection, writtenDirection } from "./failure-direction.ts";
import { hookName, hookTarget } from "./hook-target.ts";
import { type HttpPolicy, httpPolicy } from "./http/http-policy.ts";
import { reportDuplicates } from "./report-duplicates.ts";
import { scopeRank } from "./scope-rank.ts";
import { type Environment, type SwitchState, switchState } from "./switch-state.ts";
import { timeLimitMs } from "./time-limit.ts";
import type { RegisteredHook } from "./types.ts";

export interface RegisterOptions {
  readonly env: Environment;
  /** Every gate that fails blocks, whatever the files say. */
  readonly strict?: boolean | undefined;
}

export interface Registry {
  /** Highest source first, inside a source as declared. Duplicates are all here: only those that match together exclude each other. */
  readonly hooks: readonly RegisteredHook[];
  /** Findings of this stage; the documents carry their own. */
  readonly diagnostics: readonly Diagnostic[];
  readonly switches: SwitchState;
  /** What http hooks may reach and send. */
  readonly http: HttpPolicy;
  /** `settings` of native files: managed over user, but `strict` holds if anyone asks for it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Registers the hooks of all documents. */
export function registerHooks(documents: readonly ConfigDocument[], { env, strict = false }: RegisterOptions): Registry {
  const ordered = [...documents].sort((a, b) => scopeRank(a.source.scope) - scopeRank(b.source.scope));
  const settings = mergeSettings(ordered, strict);
  const diagnostics: Diagnostic[] = [];
  const used = new Map<string, number>();
  const hooks: RegisteredHook[] = [];
  for (const [index, document] of ordered.entries()) {
    for (const declaration of document.hooks) {
      const id = uniqueId(declaration, used);
      const sequence = declaration.sequence === undefined ? undefined : `${index}:${declaration.sequence}`;
      const resolved = resolveHook(declaration, { sequence, strict: settings["strict"] === true });
      diagnostics.push(...resolved.diagnostics.map((diagnostic) => ({ ...diagnostic, hook: id })));
      hooks.push({ id, ...resolved.hook, order: hooks.length });
    }
  }
  return {
    hooks,
    diagnostics: [...diagnostics, ...reportDuplicates(hooks)],
    switches: switchState(ordered, env),
    http: httpPolicy(ordered),
    settings,
  };
}

function mergeSettings(ordered: readonly ConfigDocument[], strict: boolean): Readonly<Record<string, unknown>> {
  const all = ordered.flatMap(({ switches }) => (switches.settings ? [switches.settings] : []));
  const isStrict = strict || all.some((settings) => settings["strict"] === true);
  return { ...Object.fromEntries(all.toReversed().flatMap((settings) => Object.entries(settings))), strict: isStrict };
}

function uniqueId(declaration: HookDeclaration, used: Map<string, number>): string {
  const { source, event, kind, matcher, fields } = declaration;
  const digest = createHash("sha256")
    .update(canonicalJson({ event, kind, matcher, fields, skill: source.skill?.root ?? null, agent: source.agentId ?? null }))
    .digest("hex");
  const id = `${source.scope}:${event}:${digest.slice(0, 10)}`;
  const count = (used.get(id) ?? 0) + 1;
  used.set(id, count);
  return count === 1 ? id : `${id}-${count}`;
}

type Resolved = Omit<RegisteredHook, "id" | "order">;

function resolveHook(
  declaration: HookDeclaration,
  { sequence, strict }: { readonly sequence: string | undefined; readonly strict: boolean },
): { readonly hook: Resolved; readonly diagnostics: readonly Diagnostic[] } {
  const { event, fields, source, place, matcher } = declaration;
  const row = EVENTS[event];
  const background = resolveBackground(declaration, row);
  const { isAsync } = background;
  const failure = failureDirection(declaration, { row, isAsync, strict });
  const once = resolveOnce(declaration);
  const hook: Resolved = {
    name: hookName(declaration),
    event,
    matcher,
    condition: optionalText(fields["if"]),
    target: hookTarget(declaration),
    source,
    place,
    priority: 0,
    ...(sequence !== undefined && { sequence }),
    isGuard: fields["guard"] === true,
    onFailure: failure.onFailure,
    timeoutMs: timeLimitMs(declaration, row),
    isAsync,
    wakesAgent: isAsync && fields["asyncRewake"] === true,
    once: once.once,
    statusMessage: optionalText(fields["statusMessage"]),
    passEnv: Array.isArray(fields["passEnv"]) ? fields["passEnv"].map(String) : [],
    fields,
    // SECURITY: one that cannot be read is the duplicate of nothing: no copy speaks for it.
    dedupKey: declaration.unreadable === undefined ? dedupKey(declaration, sequence) : undefined,
    unreadable: declaration.unreadable,
    never: declaration.never,
    setting: declaration.setting,
  };
  return { hook, diagnostics: [background.diagnostic, failure.diagnostic, once.diagnostic].flatMap((diagnostic) => diagnostic ?? []) };
}

/** SECURITY: in the background a hook has no say, so an entry that asks for both is waited for: a guard, and one whose failure blocks or asks. */
function resolveBackground(
  { event, fields, place }: HookDeclaration,
  row: EventRow,
): { readonly isAsync: boolean; readonly diagnostic?: Diagnostic } {
  const written = ["async", "asyncRewake"].find((name) => fields[name] === true);
  if (written === undefined) return { isAsync: false };
  const direction = directionAt(row, writtenDirection(fields));
  const isGuard = fields["guard"] === true;
  if (!isGuard && direction !== "block" && direction !== "ask") return { isAsync: true };
  const what = isGuard ? "a guard" : `a hook of ${event} with "onFailure": "${direction}"`;
  const text = `"${written}" has no effect on ${what}: in the background it could not block, so the event waits for its answer. Remove "${written}", or remove "${isGuard ? "guard" : "onFailure"}" if it decides nothing.`;
  return { isAsync: false, diagnostic: { code: "HL_CONFIG_IGNORED_KEY", level: "warning", text, place } };
}

/** Claude Code honours `once` only in skills (spec §4); an imported file means the same here. */
function resolveOnce({ fields, source, place }: HookDeclaration): { readonly once: boolean; readonly diagnostic?: Diagnostic } {
  if (fields["once"] !== true) return { once: false };
  if (DIALECT_DEFAULTS[source.dialect].honoursOnce || source.scope === "skill") return { once: true };
  const text = `"once" counts only in skills and native files; here the hook runs every time. Move it to .hookloop/hooks.json.`;
  return { once: false, diagnostic: { code: "HL_CONFIG_IGNORED_KEY", level: "notice", text, place } };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
