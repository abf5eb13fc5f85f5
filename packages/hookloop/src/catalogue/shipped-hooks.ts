import { choice, type Fields, flag, list, optional, text } from "./field.ts";

/** What `use` may name. Plain data: the check of files, the schema, the switches and the docs are made from it; `builtin/` has the code. */
interface ShippedRow {
  readonly summary: string;
  /** A guard can only tighten, so every file may switch it on, and each set of options that files give it runs on its own. */
  readonly role: "guard" | "observer";
  /** It runs code of the project or sends something away: a project's file switches it on only in a trusted workspace. */
  readonly needsTrust?: true;
  /** `hookloop agent` has it on without being asked. */
  readonly isOnInAgent?: true;
  /** What other systems call it in their lists of hooks that are off. */
  readonly otherNames?: readonly string[];
  /** What may stand beside `name` in `use`. */
  readonly options: Fields;
}

export const SHIPPED_NAMES = ["safety", "workspace-boundary", "secret-guard", "protect-branches", "permission"] as const;

export type ShippedName = (typeof SHIPPED_NAMES)[number];

export const SHIPPED_HOOKS: Readonly<Record<ShippedName, ShippedRow>> = {
  safety: {
    summary: "denies shell commands that would destroy much or run unseen code, and asks before risky ones",
    role: "guard",
    isOnInAgent: true,
    otherNames: ["safety_checks"],
    options: { profile: optional(choice(["standard", "strict", "paranoid"], "How strict it is; `standard` if left out.")) },
  },
  "workspace-boundary": {
    summary: "asks before anything outside the workspace is deleted or overwritten",
    role: "guard",
    isOnInAgent: true,
    options: {},
  },
  "secret-guard": {
    summary: "denies reading and writing files that hold secrets, and keeps secrets out of what is written and of what tools give back",
    role: "guard",
    options: {
      redact: optional(
        flag("Take secrets out of what a tool gave back and hand on the rest; otherwise each text that holds one is withheld."),
      ),
      files: optional(list(text("A glob."), "More files that hold secrets, by their names or the ends of their paths.")),
      allow: optional(list(text("A glob."), "Files that hold none, whatever they are called.")),
    },
  },
  "protect-branches": {
    summary: "denies pushes, commits, merges and deletions that change the branches it protects",
    role: "guard",
    options: {
      branches: optional(list(text("A branch, or a pattern with `*`."), "The branches; `main` and `master` if left out.")),
      commits: optional(
        choice(["deny", "allow"], "What becomes of commits and merges on such a branch here, before they are pushed; `deny` if left out."),
      ),
    },
  },
  permission: {
    summary: "denies shell commands of a list, and asks before destructive commands and writes outside the workspace",
    role: "guard",
    otherNames: ["permission_check"],
    options: { deny: optional(list(text("A part of a command."), "The list; sudo, shutdown, reboot, mkfs and `dd if=` if left out.")) },
  },
};

export function isShippedName(name: unknown): name is ShippedName {
  return typeof name === "string" && Object.hasOwn(SHIPPED_HOOKS, name);
}

/** A hook that comes with hookloop as a file or a program switches it on: by its name, or with options beside it. */
export interface UsedHook {
  readonly name: ShippedName;
  readonly options: Readonly<Record<string, unknown>>;
}
