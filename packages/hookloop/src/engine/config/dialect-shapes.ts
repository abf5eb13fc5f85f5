import type { EventName } from "@hookloop/sdk";
import {
  COMMON_HOOK_FIELDS,
  type ConfiguredKind,
  EVENT_NAMES,
  type Field,
  type Fields,
  HOOK_KINDS,
  MODULE_HOOK_FIELDS,
  NATIVE_HOOK_FIELDS,
  NATIVE_SETTINGS,
  PERMISSION_LISTS,
  SETTINGS_SWITCHES,
  TOOL_NAMES,
} from "../../catalogue/index.ts";
import type { DialectName } from "./types.ts";

/** How one dialect lays out its file: everything the readers must know about it. */
export interface DialectShape {
  /** Completes "in …". */
  readonly title: string;
  readonly events: readonly EventName[];
  readonly tools: readonly string[];
  /** Keys of the file, besides `hooks`. */
  readonly topLevel: Fields;
  /** Other programs keep their settings in the same file: unknown keys are theirs. */
  readonly isShared: boolean;
  /** `nested`: groups of hooks under one matcher. `flat`: every entry has its own matcher and is a command. */
  readonly entries: "nested" | "flat";
  readonly groupFields: readonly string[];
  readonly kinds: Readonly<Record<string, Fields>>;
  /** Words that work here, but make the program the file belongs to drop it. */
  readonly extensions: {
    readonly groupFields: readonly string[];
    readonly kinds: Readonly<Record<string, Fields>>;
    readonly fields: Fields;
  };
}

const optional = (type: Field["type"], description: string): Field => ({ type, description, optional: true });
const { statusLine: _notAHook, enabledPlugins, ...switches } = SETTINGS_SWITCHES;
const SWITCHES: Fields = {
  ...switches,
  allowManagedHooksOnly: optional({ kind: "boolean" }, "Only hooks of managed policy run; counts only there."),
};
const PERMISSIONS: Field = optional({ kind: "shape", fields: PERMISSION_LISTS }, "Permission rules.");

const CLAUDE_KINDS: Readonly<Record<Exclude<ConfiguredKind, "module">, Fields>> = mapKinds((fields) => ({
  ...COMMON_HOOK_FIELDS,
  ...fields,
}));
const MODULE_KIND: Fields = { ...COMMON_HOOK_FIELDS, ...MODULE_HOOK_FIELDS };
const NOTHING = { groupFields: [], kinds: {}, fields: {} };

export const DIALECT_SHAPES: Readonly<Record<DialectName, DialectShape>> = {
  claude: {
    title: "a Claude settings file",
    events: EVENT_NAMES,
    tools: TOOL_NAMES,
    topLevel: { ...SWITCHES, ...(enabledPlugins && { enabledPlugins }), permissions: PERMISSIONS },
    isShared: true,
    entries: "nested",
    groupFields: ["matcher", "hooks"],
    kinds: CLAUDE_KINDS,
    extensions: { groupFields: ["sequential"], kinds: { module: MODULE_KIND }, fields: NATIVE_HOOK_FIELDS },
  },
  native: {
    title: "a hookloop file",
    events: EVENT_NAMES,
    tools: TOOL_NAMES,
    topLevel: {
      ...SWITCHES,
      $schema: optional({ kind: "string" }, "Where the schema is."),
      plugins: optional({ kind: "list", item: { kind: "string" } }, "Packs: installed packages with hooks."),
      permissions: PERMISSIONS,
      settings: optional({ kind: "shape", fields: NATIVE_SETTINGS }, "Counts only in user and managed scope."),
    },
    isShared: false,
    entries: "nested",
    groupFields: ["matcher", "sequential", "hooks"],
    kinds: {
      ...mapKinds((fields) => ({ ...COMMON_HOOK_FIELDS, ...fields, ...NATIVE_HOOK_FIELDS })),
      module: { ...MODULE_KIND, ...NATIVE_HOOK_FIELDS },
    },
    extensions: NOTHING,
  },
  "hooks-json": {
    title: "a .hooks.json file",
    events: ["SessionStart", "PreToolUse", "PostToolUse"],
    tools: ["bash", "read_file", "write_file", "edit_file"],
    topLevel: {},
    isShared: false,
    entries: "flat",
    groupFields: ["matcher"],
    kinds: { command: { command: HOOK_KINDS.command["command"] as Field } },
    extensions: NOTHING,
  },
};

/** Tool names of every dialect, to recognise one that strayed into another's file. */
export const ALL_TOOL_NAMES: readonly string[] = [...new Set(Object.values(DIALECT_SHAPES).flatMap(({ tools }) => tools))];

function mapKinds(change: (fields: Fields) => Fields): Readonly<Record<keyof typeof HOOK_KINDS, Fields>> {
  const kinds = Object.entries(HOOK_KINDS).map(([kind, fields]) => [kind, change(fields)]);
  return Object.fromEntries(kinds);
}
