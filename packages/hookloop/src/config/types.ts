import type { EventName } from "@hookloop/sdk";
import type { DialectFacts, HookKind, Matcher, UsedHook } from "../catalogue/index.ts";
import type { Diagnostic, Place } from "../diagnostic.ts";
import type { PermissionLists } from "../permissions/index.ts";
import { type ConfigProperty, plainValue } from "./parse-json.ts";

const SCOPES = ["managed", "flag", "code", "user", "local", "project", "plugin", "skill"] as const;

/** Where a hook was declared, highest authority first. `code` counts as the embedding program's own. */
export type Scope = (typeof SCOPES)[number];

const RANKS: ReadonlyMap<string, number> = new Map(SCOPES.map((scope, rank) => [scope, rank]));

/** How high a scope stands: 0 is the highest. SECURITY: one that is not known, as in a record of another version, is the lowest. */
export function scopeRank(scope: Scope): number {
  return RANKS.get(scope) ?? SCOPES.length;
}

/** What these scopes say never reaches hooks of the others: a checkout cannot switch off what the user set up, or say whether it is trusted. */
export const BELOW_USER: readonly Scope[] = ["local", "project", "plugin", "skill"];

export interface Source {
  readonly scope: Scope;
  readonly dialect: string;
  /** The file; absent for hooks registered by code. */
  readonly file?: string | undefined;
  /** Folder that relative script paths are resolved against. */
  readonly root: string;
  readonly plugin?: { readonly id: string; readonly root: string } | undefined;
  readonly skill?: { readonly name: string; readonly root: string } | undefined;
  /** The hooks live only inside this subagent. */
  readonly agentId?: string | undefined;
  /** The hooks live only in this session. */
  readonly sessionId?: string | undefined;
  /** The program's own bookkeeping: it says nothing, and nobody is told about it. */
  readonly isInternal?: true | undefined;
}

/** Commands of a settings file that are no hooks: no event fires them, whoever shows the agent asks for them. */
export const SETTINGS_COMMANDS = ["statusLine", "fileSuggestion"] as const;
export type SettingsCommand = (typeof SETTINGS_COMMANDS)[number];

/** A file that registers hooks when the session opens. It passes the gate as one that could deny every call. */
export const EXTENSION = "extension";

/** A checked hook entry of one file: every field has its right type, everything wrong was reported. */
export interface HookDeclaration {
  readonly event: EventName;
  readonly source: Source;
  readonly place: Place;
  readonly matcher?: string | undefined;
  /** Declarations with the same number run one after the other; absent: in parallel. Unique inside one document. */
  readonly sequence?: number | undefined;
  readonly kind: Exclude<HookKind, "function">;
  /** The entry's own fields, as the file spells them (`command`, `args`, `timeout`, `if`, …). */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why the entry cannot be used. Only a guard is declared all the same; of its fields only those that could be read are here. */
  readonly unreadable?: string | undefined;
  readonly never?: string | undefined;
  readonly setting?: SettingsCommand | typeof EXTENSION | undefined;
}

/** Switches a file may set; which of them count depends on its scope. */
export interface Switches {
  readonly disableAllHooks?: boolean | undefined;
  readonly allowManagedHooksOnly?: boolean | undefined;
  readonly allowedHttpHookUrls?: readonly string[] | undefined;
  readonly httpHookAllowedEnvVars?: readonly string[] | undefined;
  /** `settings` of a native file; counts only from user and managed scope. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly plugins?: readonly string[] | undefined;
  /** Installed plugins by `name@marketplace`, on or off. */
  readonly enabledPlugins?: Readonly<Record<string, unknown>> | undefined;
  readonly use?: readonly UsedHook[] | undefined;
}

/** What one file says. A bad entry is left out and reported; its neighbours stay. */
export interface ConfigDocument {
  readonly source: Source;
  /** Absent of what was put together from a trust record: nothing of that is run. */
  readonly dialect?: DialectFacts | undefined;
  readonly hooks: readonly HookDeclaration[];
  readonly switches: Switches;
  /** It came with the checkout: the project's own files, and a local file that git keeps. Its switches reach nothing but its own hooks. */
  readonly isOfCheckout?: boolean | undefined;
  /** Permission rules, mode and directories as written; `readRules` makes rules of them. */
  readonly permissions: PermissionLists;
  /** Packs that it names; they are documents of their own. */
  readonly packs?: readonly NamedPack[] | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** How a matcher is read: everything, a list of names, or a regular expression. */
type MatcherForm = { readonly form: "all" } | { readonly form: "names"; readonly names: readonly string[] } | { readonly form: "regex" };

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

export interface NamedPack {
  readonly name: string;
  readonly place: Place;
}

/** What `plugins` of a native file lists; its types were checked. */
export function namedPacks(properties: readonly ConfigProperty[]): readonly NamedPack[] {
  const list = properties.find(({ key }) => key === "plugins")?.value;
  if (list?.type !== "list") return [];
  return list.items.map((item) => ({ name: String(plainValue(item)), place: item.place }));
}

/** What is left to read of a pattern. JavaScript has accepted it already, so it is well formed. */
interface Cursor {
  readonly pattern: string;
  at: number;
  readonly length: number;
}

const QUANTIFIER = /[*+?]\??|\{\d+(?:,\d*)?\}\??/y;
const GROUP_HEAD = /\((?:\?(?::|=|!|<=|<!|<[^>]*>))?/y;
const CLASS = /\[(?:[^\]\\]|\\.)*\]/sy;
const BACKREFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/y;

/**
 * Upper bound of the ways a backtracking engine tries `pattern` on a text of `length` characters.
 * Each repeated character multiplies by the length, each choice adds, and a repeated group takes its own ways to the power of its
 * rounds: harmless for a name of five letters, astronomical for fifty.
 */
export function backtrackingCost(pattern: string, length: number): number {
  const cursor = { pattern, at: 0, length: Math.max(length, 1) };
  return cursor.length * choiceCost(cursor);
}

function choiceCost(cursor: Cursor): number {
  let cost = sequenceCost(cursor);
  while (cursor.pattern[cursor.at] === "|") {
    cursor.at++;
    cost += sequenceCost(cursor);
  }
  return cost;
}

function sequenceCost(cursor: Cursor): number {
  let cost = 1;
  while (cursor.at < cursor.pattern.length && cursor.pattern[cursor.at] !== "|" && cursor.pattern[cursor.at] !== ")")
    cost *= termCost(cursor);
  return cost;
}

function termCost(cursor: Cursor): number {
  if (take(cursor, GROUP_HEAD)) return groupCost(cursor);
  // Comparing with what a group took is not a choice, but can be as long as the text.
  const own = take(cursor, BACKREFERENCE) ? cursor.length : 1;
  if (own === 1 && !take(cursor, CLASS)) cursor.at += cursor.pattern[cursor.at] === "\\" ? 2 : 1;
  const quantifier = take(cursor, QUANTIFIER);
  if (!quantifier || /^\{\d+\}/.test(quantifier)) return own;
  return own * (quantifier.startsWith("?") ? 2 : cursor.length);
}

function groupCost(cursor: Cursor): number {
  const inner = choiceCost(cursor);
  cursor.at++;
  const quantifier = take(cursor, QUANTIFIER);
  if (!quantifier) return inner;
  return quantifier.startsWith("?") ? inner + 1 : (inner + 1) ** rounds(quantifier, cursor.length);
}

/** A round takes a character at least, but for those that a count demands. */
function rounds(quantifier: string, length: number): number {
  return length + Math.max(1, ...(quantifier.match(/\d+/g) ?? []).map(Number));
}

function take(cursor: Cursor, token: RegExp): string | undefined {
  token.lastIndex = cursor.at;
  const found = token.exec(cursor.pattern)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}
