// Takes the documents of a session and its environment.
// Gives every hook with its options resolved, highest source first, the switches, and what is odd about them as a whole.
// Refuses nothing: whether a hook may run is decided by the trust stage.

import { createHash } from "node:crypto";
import path from "node:path";
import { type DialectFacts, EVENTS, type EventRow } from "../catalogue/index.ts";
import { groupBy } from "../check-options.ts";
import { type Diagnostic, placeText } from "../diagnostic.ts";
import { realFolder, usersSearchPath } from "../permissions/index.ts";
import { scriptOfCommand } from "./read/check-scripts.ts";
import {
  canonicalJson,
  directionAt,
  failureDirection,
  type HookTarget,
  type RegisteredHook,
  supersedes,
  writtenDirection,
} from "./registered-hook.ts";
import { type Environment, type HttpPolicy, httpPolicy, type SwitchState, switchState } from "./switch-state.ts";
import { type ConfigDocument, type HookDeclaration, matcherForm, scopeRank } from "./types.ts";

interface RegisterOptions {
  readonly env: Environment;
  /** Where the session starts; the programs of the project are not found by hooks of the user. */
  readonly projectRoot?: string | undefined;
  /** Every gate that fails blocks, whatever the files say. */
  readonly strict?: boolean | undefined;
}

export interface Registry {
  /** Highest source first, inside a source as declared. Duplicates are all here: only those that match together exclude each other. */
  readonly hooks: readonly RegisteredHook[];
  readonly diagnostics: readonly Diagnostic[];
  readonly switches: SwitchState;
  readonly http: HttpPolicy;
  /** `settings` of native files: managed over user, but `strict` holds if anyone asks for it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export function registerHooks(documents: readonly ConfigDocument[], { env, projectRoot, strict = false }: RegisterOptions): Registry {
  const ordered = [...documents].sort((a, b) => scopeRank(a.source.scope) - scopeRank(b.source.scope));
  const settings = mergeSettings(ordered, strict);
  const diagnostics: Diagnostic[] = [];
  const used = new Map<string, number>();
  const hooks: RegisteredHook[] = [];
  for (const [index, document] of ordered.entries()) {
    for (const declaration of document.hooks) {
      const id = uniqueId(declaration, used);
      const sequence = declaration.sequence === undefined ? undefined : `${index}:${declaration.sequence}`;
      const resolved = resolveHook(declaration, {
        dialect: document.dialect,
        sequence,
        searchPath: searchPathOf(declaration, env, projectRoot),
        strict: settings["strict"] === true,
      });
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

/** Where its programs are found, if not in all of PATH. */
function searchPathOf({ source }: HookDeclaration, env: Environment, projectRoot: string | undefined): string | undefined {
  const { PATH: own } = projectRoot === undefined ? {} : usersSearchPath(source.scope, { env, root: projectRoot });
  return own === env["PATH"] ? undefined : own;
}

type Resolved = Omit<RegisteredHook, "id" | "order">;

interface ResolveOptions {
  readonly dialect: DialectFacts | undefined;
  readonly sequence: string | undefined;
  readonly searchPath: string | undefined;
  readonly strict: boolean;
}

function resolveHook(
  declaration: HookDeclaration,
  { dialect, sequence, searchPath, strict }: ResolveOptions,
): { readonly hook: Resolved; readonly diagnostics: readonly Diagnostic[] } {
  const { event, fields, source, place, matcher } = declaration;
  const row = EVENTS[event];
  const background = resolveBackground(declaration, row);
  const { isAsync } = background;
  const failure = failureDirection(declaration, { defaults: dialect?.defaults, row, isAsync, strict });
  const once = resolveOnce(declaration, row, dialect);
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
    timeoutMs: timeLimitMs(declaration, row, dialect),
    isAsync,
    wakesAgent: isAsync && fields["asyncRewake"] === true,
    once: once.once,
    statusMessage: optionalText(fields["statusMessage"]),
    passEnv: Array.isArray(fields["passEnv"]) ? fields["passEnv"].map(String) : [],
    quirks: dialect?.quirks,
    fields,
    // SECURITY: one that cannot be read is the duplicate of nothing: no copy speaks for it.
    dedupKey: declaration.unreadable === undefined ? dedupKey(declaration, sequence, searchPath) : undefined,
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

/**
 * Claude Code honours `once` only in skills; an imported file means the same here.
 * SECURITY: what judges one call and is then off is no guard, so an entry that asks for both judges every call.
 */
function resolveOnce(
  { event, fields, source, place }: HookDeclaration,
  row: EventRow,
  dialect: DialectFacts | undefined,
): { readonly once: boolean; readonly diagnostic?: Diagnostic } {
  if (fields["once"] !== true) return { once: false };
  const isHonoured = dialect?.quirks.honoursOnce || source.scope === "skill";
  const isGuard = fields["guard"] === true && row.blockEffect !== null;
  if (isHonoured && (isGuard || directionAt(row, writtenDirection(fields)) === "block")) {
    const what = isGuard ? "a guard" : `a hook of ${event} with "onFailure": "block"`;
    const text = `"once" has no effect on ${what}: after its first run nothing would be judged, so it runs every time. Remove "once", or remove "${isGuard ? "guard" : "onFailure"}" if it decides nothing.`;
    return { once: false, diagnostic: { code: "HL_CONFIG_IGNORED_KEY", level: "warning", text, place } };
  }
  if (isHonoured) return { once: true };
  const text = `"once" counts only in skills and native files; here the hook runs every time. Move it to .hookloop/hooks.json.`;
  return { once: false, diagnostic: { code: "HL_CONFIG_IGNORED_KEY", level: "notice", text, place } };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Fields that say how a hook runs, not what it is: two hooks that differ only in these are the same hook. Not among them: what a run gets (variables, pinned files). */
const OPTIONS: readonly string[] = [
  "timeout",
  "statusMessage",
  "once",
  "async",
  "asyncRewake",
  "rewakeMessage",
  "rewakeSummary",
  "onFailure",
  "continueOnBlock",
  "name",
  "guard",
  "warm",
  "budget",
  "required",
  "isolation",
];

/**
 * What makes two hooks of one event the same; the matcher is not part of it. Each plugin's and each skill's copy is its own.
 * SECURITY: so is a copy in another dialect, whose answers are read by other rules, and one in another sequence, where it may
 * see another input or never have its turn: a copy must do at least what the one it stands for would have done.
 */
function dedupKey(declaration: HookDeclaration, sequence: string | undefined, searchPath: string | undefined): string {
  const { kind, fields, source } = declaration;
  const identity = Object.entries(fields).filter(([name]) => !OPTIONS.includes(name));
  return canonicalJson([kind, Object.fromEntries(identity), meantBy(declaration, searchPath), source.dialect, sequence ?? null]);
}

/** SECURITY: equal words are the same hook only if they lead to the same from where they stand: a folder of a plugin, a file, a program. */
function meantBy({ kind, fields, source }: HookDeclaration, searchPath: string | undefined): Readonly<Record<string, unknown>> {
  const own = source.plugin ?? source.skill;
  const base = source.file === undefined ? source.root : path.dirname(source.file);
  return {
    // The values of a plugin's options and its folder for data go by its name.
    ...(own && { own: realFolder(own.root), plugin: source.plugin?.id }),
    ...(kind === "command" && { searchPath }),
    ...(fields["files"] !== undefined && { filesIn: realFolder(source.plugin?.root ?? source.root) }),
    ...(kind === "module" && { module: realFolder(path.resolve(base, String(fields["path"]))) }),
  };
}

const MAX_NAME = 60;
const MAX_LINE = 40;

function hookTarget({ kind, fields, unreadable }: HookDeclaration): HookTarget {
  if (unreadable !== undefined) return { kind: "withheld" };
  if (kind !== "command") return { kind, fields };
  const { command, args, shell } = fields as unknown as Partial<Extract<HookTarget, { kind: "command" }>> & { readonly command: string };
  return { kind, command, args, shell: shell ?? "sh" };
}

/** What people call the hook: its own name, the script they wrote for it, or the start of what it runs. */
function hookName({ kind, fields, setting }: HookDeclaration): string {
  const text = (name: string): string => (typeof fields[name] === "string" ? String(fields[name]) : "");
  if (text("name").trim() !== "") return text("name").trim();
  const script = setting === undefined ? (scriptName(kind, fields) ?? packageName(kind, fields)) : undefined;
  if (script !== undefined) return script;
  const args = Array.isArray(fields["args"]) ? ` ${fields["args"].join(" ")}` : "";
  const server = text("server") && `${text("server")}/${text("tool")}`;
  const whole = text("command") + args || text("url") || text("path") || server || text("prompt") || kind;
  const line = `${setting === undefined ? "" : `${setting}: `}${whole}`.replace(/\s+/g, " ").trim();
  // The whole of a command line is shown on request.
  const most = kind === "command" ? MAX_LINE : MAX_NAME;
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}

/** Where a script lies does not matter for its name. */
const PLACES = { HOME: "~", CLAUDE_PROJECT_DIR: ".", HOOKLOOP_PROJECT_DIR: ".", CLAUDE_PLUGIN_ROOT: "." };
/** Arguments after the script tell two uses of it apart, if they are few and plain. */
const PLAIN_WORDS = /^[\w@%+=:,./ -]{1,24}$/;

function scriptName(kind: string, fields: HookDeclaration["fields"]): string | undefined {
  if (kind === "module") return path.basename(String(fields["path"])) || undefined;
  const { command, args } = fields;
  if (kind !== "command" || typeof command !== "string") return undefined;
  const script = scriptOfCommand({ command, args: Array.isArray(args) ? args.map(String) : undefined }, PLACES);
  const name = script && path.basename(script.path);
  if (!name || name.length > MAX_NAME) return undefined;
  const line = Array.isArray(args) ? args.join(" ") : command;
  const rest = line
    .slice(line.lastIndexOf(name) + name.length)
    .replace(/^["']/, "")
    .trim();
  return PLAIN_WORDS.test(rest) ? `${name} ${rest}` : name;
}

/** What starts a program of a package: `npx --yes prettier@3 --check .` is called "prettier --check .". */
const PACKAGE_RUNNERS =
  /^(?:\w+=[^\s"'`$]+ )*(?:npx|pnpx|bunx|uvx|(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|pipx run) (?:-[-\w]+ |-- )*(?:@[\w.-]+\/)?([\w.-]+)(?:@[\w.^~-]+)?(?= |$)(.*)$/s;

function packageName(kind: string, { command, args }: HookDeclaration["fields"]): string | undefined {
  if (kind !== "command" || typeof command !== "string") return undefined;
  const line = `${command}${Array.isArray(args) ? ` ${args.join(" ")}` : ""}`.replace(/\s+/g, " ").trim();
  const [, name, rest = ""] = PACKAGE_RUNNERS.exec(line) ?? [];
  return name && (PLAIN_WORDS.test(rest.trim()) ? `${name} ${rest.trim()}` : name);
}

/** A file can repeat one command under thousands of matchers; comparing each with each would take minutes. */
const MAX_COMPARED = 50;

function reportDuplicates(hooks: readonly RegisteredHook[]): readonly Diagnostic[] {
  const named = hooks.filter(({ dedupKey }) => dedupKey !== undefined);
  return [...groupBy(named, ({ event, dedupKey }) => `${event} ${dedupKey}`).values()].flatMap((same) =>
    same.length > 1 ? reportShadowed(same) : [],
  );
}

function reportShadowed(same: readonly RegisteredHook[]): readonly Diagnostic[] {
  const ranked = [...same].sort((a, b) => (supersedes(a, b) ? -1 : 1));
  return ranked.flatMap((hook, index) => {
    const winner = ranked.slice(0, Math.min(index, MAX_COMPARED)).find((other) => overlaps(other, hook));
    return winner ? [shadowed(hook, winner)] : [];
  });
}

/** Certain to match something together; of regular expressions that is not known. */
function overlaps(a: RegisteredHook, b: RegisteredHook): boolean {
  if (a.matcher === b.matcher) return true;
  const column = EVENTS[a.event].matcher;
  const [first, second] = [matcherForm(a.matcher, column), matcherForm(b.matcher, column)];
  if (first.form === "all" || second.form === "all") return true;
  return first.form === "names" && second.form === "names" && first.names.some((name) => second.names.includes(name));
}

function shadowed(hook: RegisteredHook, winner: RegisteredHook): Diagnostic {
  const where = winner.place ? placeText(winner.place) : winner.source.scope;
  const text = `The same hook is declared at ${where}. Where both match it runs once, with the options from there; of "guard", "onFailure", "async", "once" and "timeout" the stricter one counts. Keep one of them.`;
  return { code: "HL_CONFIG_DUPLICATE", level: "notice", text, place: hook.place, hook: hook.id };
}

function timeLimitMs({ kind, fields }: HookDeclaration, row: EventRow, dialect: DialectFacts | undefined): number {
  const own = fields["timeout"];
  return typeof own === "number" ? Math.ceil(own * 1000) : 1000 * (dialect?.defaults.seconds(kind, row) ?? row.timeoutSeconds);
}
