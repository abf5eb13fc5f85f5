import type { EventName } from "@hookloop/sdk";
import type { HookKind } from "../../catalogue/index.ts";
import type { Diagnostic, Place } from "../../diagnostic.ts";
import type { PermissionLists } from "../../permissions/index.ts";
import type { NamedPack } from "./packs/pack-names.ts";

/** Where a hook was declared, highest authority first. `code` counts as the embedding program's own. */
export type Scope = "managed" | "flag" | "code" | "user" | "local" | "project" | "plugin" | "skill";

/** How a configuration spells things. The name finds the Dialect that interprets its hooks' answers. */
export type DialectName = "native" | "claude" | "hooks-json";

/** One place hooks come from. */
export interface Source {
  readonly scope: Scope;
  readonly dialect: DialectName;
  /** The file; absent for hooks registered by code. */
  readonly file?: string | undefined;
  /** Folder that relative script paths are resolved against. */
  readonly root: string;
  readonly plugin?: { readonly id: string; readonly root: string } | undefined;
  readonly skill?: { readonly name: string; readonly root: string } | undefined;
  /** The hooks live only inside this subagent. */
  readonly agentId?: string | undefined;
}

/** Commands of a settings file that are no hooks: no event fires them, whoever shows the agent asks for them. */
export const SETTINGS_COMMANDS = ["statusLine", "fileSuggestion"] as const;
export type SettingsCommand = (typeof SETTINGS_COMMANDS)[number];

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
  /** Why it never runs, or not for all it names. */
  readonly never?: string | undefined;
  /** It is no hook: no event runs it. */
  readonly setting?: SettingsCommand | undefined;
}

/** Switches a file may set; which of them count depends on its scope. */
export interface Switches {
  readonly disableAllHooks?: boolean | undefined;
  readonly allowManagedHooksOnly?: boolean | undefined;
  readonly allowedHttpHookUrls?: readonly string[] | undefined;
  readonly httpHookAllowedEnvVars?: readonly string[] | undefined;
  /** `settings` of a native file; counts only from user and managed scope. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Names of packs: packages with hooks. */
  readonly plugins?: readonly string[] | undefined;
  /** Installed plugins by `name@marketplace`, on or off. */
  readonly enabledPlugins?: Readonly<Record<string, unknown>> | undefined;
  /** Shipped hooks to switch on. */
  readonly use?: readonly string[] | undefined;
}

/** What one file says. A bad entry is left out and reported; its neighbours stay. */
export interface ConfigDocument {
  readonly source: Source;
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
