import type { PERMISSION_MODES } from "../catalogue/index.ts";
import type { Diagnostic, Place } from "../diagnostic.ts";
import type { ShellCommand, ShellReading } from "../shell/index.ts";
import type { RealTarget } from "./paths/real-target.ts";

/** How much the agent may do without asking; `docs/reference/permissions.md` says what each does. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export type RuleList = "allow" | "ask" | "deny";

/** Where a rule was declared, highest authority first; `session` rules were given while the session ran. */
export type RuleScope = "managed" | "flag" | "code" | "session" | "user" | "local" | "project" | "plugin" | "skill";

/** A text of a configuration, and where it stands. */
export interface PlacedText {
  readonly text: string;
  readonly place?: Place | undefined;
}

/** What one source says about permissions, as written. */
export interface PermissionLists extends Readonly<Record<RuleList, readonly PlacedText[]>> {
  readonly defaultMode?: PlacedText | undefined;
  readonly additionalDirectories?: readonly PlacedText[] | undefined;
  /** bypassPermissions cannot be switched on; counts only from managed scope. */
  readonly disableBypassPermissionsMode?: boolean | undefined;
}

/** The same as programs may write it: rules as in settings files, and lists that are left out. */
export interface WrittenPermissions
  extends Readonly<Partial<Record<RuleList, readonly (string | PlacedText)[] | undefined>>>,
    Pick<PermissionLists, "disableBypassPermissionsMode"> {
  readonly defaultMode?: string | PlacedText | undefined;
  readonly additionalDirectories?: readonly (string | PlacedText)[] | undefined;
}

/** The permissions of one source. */
export interface RuleSource {
  readonly scope: RuleScope;
  readonly file?: string | undefined;
  /** Folder that rules such as `Edit(/src/**)` belong to. */
  readonly root: string;
  /** Without trust, project, local, plugin and skill scope can only tighten. */
  readonly isTrusted: boolean;
  readonly permissions: WrittenPermissions;
}

export interface PlacedSource extends RuleSource {
  readonly permissions: PermissionLists;
}

/** A rule as messages show it. */
export interface RuleReference {
  readonly list: RuleList;
  readonly text: string;
  readonly scope: RuleScope;
  readonly place?: Place | undefined;
}

/** A rule, ready to be asked. */
export interface PermissionRule extends RuleReference {
  /** Deny and ask rules: the call may do what the rule is about. Allow rules: it surely does nothing else. */
  readonly matches: (facts: CallFacts) => boolean;
  /** Deny rules about files: which file the call reads or changes is known only when it runs, so the rule may be about it. */
  readonly mayMatch?: ((facts: CallFacts) => boolean) | undefined;
  /** Allow rules of shell tools: the rule covers this one command of a line. */
  readonly covers?: ((command: ShellCommand) => boolean) | undefined;
  /** What a call must have for the rule to be about it, as `ruleKey` writes it; absent: every call has to be tried. */
  readonly key?: string | undefined;
}

/** Every rule that counts, strictest list first, in an order that does not depend on the order of sources. */
export interface RuleSet extends Readonly<Record<RuleList, readonly PermissionRule[]>> {
  /** The mode of the highest source that names one. */
  readonly mode?: PermissionMode | undefined;
  readonly directories: readonly string[];
  readonly isBypassDisabled: boolean;
  /** What was wrong with the sources: whoever hands on only the rules does not lose it. Without those that were told already. */
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}

/** A call to be decided. */
export interface PermissionCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What rules look at; what costs time is looked up once. */
export interface CallFacts {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** Folder that relative allow rules belong to: the working directory, as long as it lies in the workspace. */
  readonly anchor: string;
  /** The project's folder: where the session started. */
  readonly root: string;
  /** The other folders of the workspace. */
  readonly folders?: readonly string[] | undefined;
  readonly home: string;
  readonly read: (command: string) => ShellReading;
  readonly target: (path: string) => RealTarget;
  /** Folders of the PATH that lie in the workspace; most calls ask for none. */
  readonly programFolders?: (() => readonly string[]) | undefined;
  /** How much comparing the call may still cost. */
  readonly work: {
    left: number;
    /** How often work was asked for, and when it first was; the processor's time, once that is a while ago. */
    asked?: number;
    startedAt?: number;
    since?: number;
  };
}

/** A step that no rule, hook or mode can loosen: it guards the agent's own configuration. */
export type Protect = (call: PermissionCall) => { readonly decision: "ask" | "deny"; readonly reason: string } | undefined;

export interface DecideContext {
  /** The project's folder. */
  readonly root: string;
  readonly mode?: PermissionMode | undefined;
  /** Folders besides the project that the agent works in. */
  readonly directories?: readonly string[] | undefined;
  readonly home?: string | undefined;
  /** What PreToolUse hooks said. */
  readonly hook?: "none" | "allow" | "ask" | "deny" | undefined;
  /** A hook filled in the answer of a tool that needs the user. */
  readonly isAnswered?: boolean | undefined;
  readonly protect?: Protect | undefined;
  /** The PATH that shell commands run with; that of this program if left out. */
  readonly searchPath?: string | undefined;
}

export type DecidedBy =
  | { readonly kind: "rule"; readonly rule: RuleReference }
  | { readonly kind: "protection" }
  | { readonly kind: "hook" }
  /** The embedding program's own rules. */
  | { readonly kind: "program" }
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  | { readonly kind: "default" };

/** What became of a rule for a known tool in a call that has that tool under another name. */
export interface Likeness {
  readonly tool: string;
  readonly rule: RuleReference;
  /** `holds`: the rule matches. `may hold`: the input has nothing it could be compared with, which is asked. `was not compared`: nor is the name a reason to ask. */
  readonly outcome: "holds" | "may hold" | "was not compared";
}

export interface PermissionDecision {
  readonly decision: RuleList;
  readonly by: DecidedBy;
  readonly reason: string;
  /** Rules that match the call as well, strictest first. */
  readonly runnersUp: readonly RuleReference[];
  /** A deny or ask rule is for a known tool that the call has under another name. */
  readonly likeness?: Likeness | undefined;
}
