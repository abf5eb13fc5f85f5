import { resolve } from "node:path";
import { type Allowed, checkEntries, invalidOption, nameCure, shown } from "../check-options.ts";
import { type Diagnostic, sentence } from "../diagnostic.ts";
import { decide, isRuleSet, NEEDS_USER, RULES_CURE } from "./decide.ts";
import { MAX_DIRECTORIES, toolKind } from "./rules/matching-rules.ts";
import { compareRules, MODES, NO_RULES, readRules } from "./rules/read-rules.ts";
import type { DecideContext, PermissionCall, PermissionDecision, PermissionMode, PlacedText, RuleList, RuleSet } from "./types.ts";

/** One change of the rules, as an answer to a question or a PermissionRequest hook brings it. */
type PermissionUpdate =
  | {
      readonly type: "addRules" | "replaceRules" | "removeRules";
      readonly rules: readonly string[];
      readonly behavior: RuleList;
      readonly destination: string;
    }
  | { readonly type: "setMode"; readonly mode: PermissionMode; readonly destination: string }
  | { readonly type: "addDirectories" | "removeDirectories"; readonly directories: readonly string[]; readonly destination: string };

/** The same as programs and hooks write it. */
export type GivenUpdate = { readonly destination?: string | undefined } & (
  | {
      readonly type: "addRules" | "replaceRules" | "removeRules";
      readonly rules: readonly { readonly toolName: string; readonly ruleContent?: string | undefined }[];
      readonly behavior: RuleList;
    }
  | { readonly type: "setMode"; readonly mode: PermissionMode }
  | { readonly type: "addDirectories" | "removeDirectories"; readonly directories: readonly string[] }
);

const LISTS: readonly string[] = ["allow", "ask", "deny"];
const RULE_CHANGES: readonly string[] = ["addRules", "replaceRules", "removeRules"];
const DIRECTORY_CHANGES: readonly string[] = ["addDirectories", "removeDirectories"];

/** Reads an update as hooks write it; nothing if it is none. */
function readUpdate(value: unknown): PermissionUpdate | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, rules, behavior, mode, directories, destination = "session" } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== "string" || typeof destination !== "string") return undefined;
  if (RULE_CHANGES.includes(type) && Array.isArray(rules) && LISTS.includes(behavior as string)) {
    const texts = rules.map(ruleOf);
    const isWhole = texts.every((text) => text !== undefined);
    return isWhole ? ({ type, rules: texts, behavior, destination } as PermissionUpdate) : undefined;
  }
  if (type === "setMode" && MODES.includes(mode as PermissionMode)) return { type, mode: mode as PermissionMode, destination };
  if (!DIRECTORY_CHANGES.includes(type) || !Array.isArray(directories) || !directories.every((one) => typeof one === "string"))
    return undefined;
  return { type, directories, destination } as PermissionUpdate;
}

const UPDATE_FIELDS: readonly string[] = ["type", "rules", "behavior", "mode", "directories", "destination"];
const RULE_FIELDS: readonly string[] = ["toolName", "ruleContent"];

/** SECURITY: a rule whose content stands under another name would be one for the whole tool. Gives what has no such field. */
function strayField(update: unknown): string | undefined {
  const { rules } = (update ?? {}) as { readonly rules?: unknown };
  const strayOf = (what: string, value: unknown, known: readonly string[]): readonly string[] =>
    Object.keys(Object(value)).flatMap((name) =>
      known.includes(name) ? [] : `${what} has no field "${name.slice(0, 60)}". ${nameCure(name, known)}`,
    );
  const ofRules = Array.isArray(rules) ? rules.flatMap((rule: unknown) => strayOf("a rule", rule, RULE_FIELDS)) : [];
  return [...ofRules, ...strayOf("it", update, UPDATE_FIELDS)][0];
}

function ruleOf(value: unknown): string | undefined {
  const { toolName, ruleContent } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof toolName !== "string" || toolName === "") return undefined;
  if (ruleContent === undefined) return toolName;
  return typeof ruleContent === "string" ? `${toolName}(${ruleContent})` : undefined;
}

export interface PermissionOptions {
  /** The rules of all sources; none if left out. */
  readonly rules?: RuleSet | undefined;
  /** The project's folder. */
  readonly root: string;
  readonly home?: string | undefined;
  /** The mode at the start; that of the rules, or `default`, if left out. */
  readonly mode?: PermissionMode | undefined;
  /** Folders besides those of the rules. */
  readonly directories?: readonly string[] | undefined;
  /** bypassPermissions may be switched on: the program, and the user who started it, allow it. */
  readonly canBypass?: boolean | undefined;
  /** The PATH that shell commands run with now; that of this program if left out. */
  readonly searchPath?: (() => string | undefined) | undefined;
  /** Tools the agent has besides the known ones. */
  readonly tools?: readonly string[] | undefined;
}

/** Refusals of one update that are written out. */
const MAX_SAID = 20;
/** Refusals of all updates that are kept. */
const MAX_KEPT = 200;

/** SECURITY: what was to forbid something, or may have been, and does not. */
function isLostGuard(update: unknown): boolean {
  const { type, behavior } = (update ?? {}) as Readonly<Record<string, unknown>>;
  return behavior !== "allow" && type !== "removeRules" && !DIRECTORY_CHANGES.includes(type as string);
}

type SessionLists = Readonly<Record<RuleList, readonly PlacedText[]>>;

const NO_LISTS: SessionLists = { allow: [], ask: [], deny: [] };

/** The permissions of one session: the rules of its sources, what was added while it ran, its mode and folders. */
export class Permissions {
  #diagnostics: readonly Diagnostic[];
  readonly #options: PermissionOptions;
  readonly #base: RuleSet;
  #added: SessionLists = NO_LISTS;
  #rules: RuleSet;
  #mode: PermissionMode;
  #directories: readonly string[];

  /** Throws for options that make no sense: a mode that is misspelt would be the default one. */
  constructor(options: PermissionOptions) {
    checkPermissionOptions(options);
    const { root, home } = options;
    // SECURITY: at once. A relative root would be in the way of every path rule, and would move with the process.
    this.#options = { ...options, root: resolve(root), ...(home !== undefined && { home: resolve(home) }) };
    this.#base = options.rules ?? NO_RULES;
    this.#rules = this.#base;
    const wanted = options.mode ?? this.#base.mode ?? "default";
    const isTooMuch = wanted === "bypassPermissions" && !this.canBypass;
    this.#mode = isTooMuch ? "default" : wanted;
    const tooMuch = isTooMuch ? [refused("The mode bypassPermissions is not allowed here; the mode is default.")] : [];
    this.#diagnostics = [...(this.#base.diagnostics ?? []), ...tooMuch];
    this.#directories = [...this.#base.directories, ...(options.directories ?? [])].map((one) => resolve(root, one));
  }

  /** What was wrong with the sources of the rules, what of the options could not be had, and what of updates was refused. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  /** Folders besides the project that the agent works in. */
  get directories(): readonly string[] {
    return this.#directories;
  }

  get rules(): RuleSet {
    return this.#rules;
  }

  /** Whether bypassPermissions may be switched on; managed settings can forbid it. */
  get canBypass(): boolean {
    return this.#options.canBypass === true && !this.#base.isBypassDisabled;
  }

  /** Whether a call may happen, by rules, mode and what hooks said. */
  decide(call: PermissionCall, context: Pick<DecideContext, "hook" | "isAnswered" | "protect"> = {}): PermissionDecision {
    const { root, home, searchPath } = this.#options;
    const rules: RuleSet = { ...this.#rules, directories: [] };
    return decide(call, rules, { ...context, root, home, mode: this.#mode, directories: this.#directories, searchPath: searchPath?.() });
  }

  /** The user or the program changes the mode; false: it is not allowed here. */
  setMode(mode: PermissionMode): boolean {
    if (!MODES.includes(mode)) throw invalidOption(`${shown(mode)} is not a mode. Write one of: ${MODES.join(", ")}`);
    if (mode === "bypassPermissions" && !this.canBypass) return false;
    this.#mode = mode;
    return true;
  }

  /** The same rules for the user's own calls: the tool needs no permission, whatever the mode; deny and ask rules and protections count. */
  allowing(tool: string): Permissions {
    const mode = this.#mode === "bypassPermissions" ? this.#mode : "default";
    const own = new Permissions({ ...this.#options, rules: this.#rules, mode, directories: this.#directories });
    own.update([{ type: "addRules", rules: [{ toolName: tool }], behavior: "allow", destination: "session" }]);
    return own;
  }

  /** Applies what a question's answer or a hook brought, for this session. Gives what was wrong with it; refusals are kept in `diagnostics` as well. */
  update(updates: readonly GivenUpdate[]): readonly Diagnostic[] {
    if (!Array.isArray(updates))
      throw invalidOption(
        `update() of Permissions takes a list, not ${shown(updates)}. Write update([{ type: "addRules", rules: [{ toolName: "Bash" }], behavior: "deny" }])`,
      );
    const found = updates.flatMap((value: unknown) => this.#read(value));
    // SECURITY: a refusal that is only returned is lost where nobody looks at it.
    for (const one of found) {
      const isKnown = one.level === "notice" || this.#diagnostics.some(({ text }) => text === one.text);
      if (!isKnown && this.#diagnostics.length < MAX_KEPT) this.#diagnostics = [...this.#diagnostics, one];
    }
    return found;
  }

  #read(value: unknown): readonly Diagnostic[] {
    const update = readUpdate(value);
    if (!update) {
      const said = refused(`What is not a permission update is ignored: ${JSON.stringify(value)?.slice(0, 200)}.`);
      return [isLostGuard(value) ? { ...said, level: "error" } : said];
    }
    const stray = strayField(value);
    if (stray === undefined) return [...this.#apply(update), ...keptHere(update)];
    // What forbids or asks is never less than it was meant to be.
    const isStricter = update.type === "addRules" && update.behavior !== "allow";
    const became = isStricter ? "counts for whole tools" : "is ignored";
    const said = refused(`The permission update ${JSON.stringify(value).slice(0, 200)} ${became}: ${sentence(stray)}`);
    return isStricter ? [said, ...this.#apply(update), ...keptHere(update)] : [said];
  }

  #apply(update: PermissionUpdate): readonly Diagnostic[] {
    if (update.type === "setMode") {
      if (this.setMode(update.mode)) return [];
      return [refused("The mode bypassPermissions cannot be set by a hook here: the program did not allow it.")];
    }
    if ("directories" in update) return this.#changeDirectories(update);
    return this.#changeRules(update);
  }

  #changeDirectories({ type, directories }: Extract<PermissionUpdate, { directories: unknown }>): readonly Diagnostic[] {
    const changed = new Set(directories.map((one) => resolve(this.#options.root, one)));
    const others = this.#directories.filter((one) => !changed.has(one));
    const wanted = type === "addDirectories" ? [...others, ...changed] : others;
    this.#directories = wanted.slice(0, MAX_DIRECTORIES);
    return wanted.length > MAX_DIRECTORIES
      ? [refused(`At most ${MAX_DIRECTORIES} directories can be added; the others are left out.`)]
      : [];
  }

  #changeRules({ type, rules, behavior }: Extract<PermissionUpdate, { rules: unknown }>): readonly Diagnostic[] {
    const before = this.#added[behavior];
    const texts = rules.map((text): PlacedText => ({ text }));
    const named = new Set(rules);
    const known = new Set(before.map(({ text }) => text));
    const others = type === "replaceRules" ? [] : before.filter(({ text }) => !named.has(text));
    const unknown = type === "removeRules" ? rules.filter((rule) => !known.has(rule)) : [];
    this.#added = { ...this.#added, [behavior]: type === "removeRules" ? others : [...others, ...texts] };
    const diagnostics = this.#compile().filter(
      ({ code, text }) => code === "HL_PERMISSION_TOO_MANY" || rules.some((rule) => text.includes(JSON.stringify(rule))),
    );
    // SECURITY: what stands in a file is changed in that file, by the user.
    const kept = unknown
      .slice(0, MAX_SAID)
      .map((rule) => refused(`The ${behavior} rule "${rule}" was not given in this session and stays.`));
    const more = unknown.length - kept.length;
    return [...diagnostics, ...kept, ...(more > 0 ? [refused(`${more} more such rules stay.`)] : [])];
  }

  #compile(): readonly Diagnostic[] {
    const { root, home, tools } = this.#options;
    const { rules, diagnostics } = readRules([{ scope: "session", root, isTrusted: true, permissions: this.#added }], { home, tools });
    const joined = (list: RuleList): RuleSet[RuleList] => [...this.#base[list], ...rules[list]].sort(compareRules);
    this.#rules = { ...this.#base, allow: joined("allow"), ask: joined("ask"), deny: joined("deny") };
    return diagnostics;
  }
}

const OPTIONS: Readonly<Record<keyof PermissionOptions, Allowed>> = {
  rules: "object",
  root: "text",
  home: "text",
  mode: MODES,
  directories: "texts",
  canBypass: "flag",
  searchPath: "function",
  tools: "texts",
};

function checkPermissionOptions(options: unknown): void {
  if (typeof options !== "object" || options === null)
    throw invalidOption("Permissions takes an object. Write new Permissions({ rules, root })");
  const { root, rules, mode } = options as Partial<PermissionOptions>;
  if ("defaultMode" in options) throw invalidOption('Permissions has no option "defaultMode". Did you mean "mode"?');
  checkEntries("Permissions", options, { ...OPTIONS, rules: "anything" });
  if (mode !== undefined && !MODES.includes(mode))
    throw invalidOption(`mode of Permissions is ${shown(mode)}. Write one of: ${MODES.join(", ")}`);
  if (root === undefined) throw invalidOption("root of Permissions is missing. Write new Permissions({ rules, root: process.cwd() })");
  if (rules !== undefined && !isRuleSet(rules ?? {})) throw invalidOption(`rules of Permissions are no rules. ${RULES_CURE}`);
}

function refused(text: string): Diagnostic {
  return { code: "HL_PERMISSION_UPDATE_REFUSED", level: "warning", text };
}

/** We never write into settings unless the user asks for it. */
function keptHere({ destination }: PermissionUpdate): readonly Diagnostic[] {
  if (destination === "session" || destination === "cliArg") return [];
  const text = `A permission update for ${destination} counts for this session; the file is not changed.`;
  return [{ code: "HL_PERMISSION_UPDATE_REFUSED", level: "notice", text }];
}

interface Suggestion {
  readonly type: "addRules";
  readonly rules: readonly [{ readonly toolName: string; readonly ruleContent?: string }];
  readonly behavior: "allow";
  readonly destination: "localSettings" | "session";
}

interface ModeSuggestion {
  readonly type: "setMode";
  readonly mode: "acceptEdits";
  readonly destination: "session";
}

/** What would spare the user the same question: the changes a question can offer beside yes and no. As narrow as they can be. */
export function suggestUpdates({ tool_name: tool, tool_input: input }: PermissionCall): readonly (Suggestion | ModeSuggestion)[] {
  // No rule answers these.
  if (NEEDS_USER.has(tool)) return [];
  const kind = toolKind(tool);
  if (kind === "file.write") return [{ type: "setMode", mode: "acceptEdits", destination: "session" }];
  if (kind === "file.read") return [];
  const content = kind === "shell" ? exactCommand(input["command"]) : kind === "web" ? domainOf(input["url"]) : undefined;
  // A rule for the whole tool would allow more than the question is about.
  if (kind !== undefined && content === undefined) return [];
  const rule = content === undefined ? { toolName: tool } : { toolName: tool, ruleContent: content };
  return [{ type: "addRules", rules: [rule], behavior: "allow", destination: "localSettings" }];
}

/** In a rule, stars and backslashes mean something else. */
function exactCommand(command: unknown): string | undefined {
  return typeof command === "string" && command.trim() !== "" && !/[*\\\n]/.test(command) ? command.trim() : undefined;
}

function domainOf(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? `domain:${new URL(url).hostname}` : undefined;
}
