/**
 * How one agent spells hooks, in one object: where its files are, how they are laid out, what holds where they say nothing, what its hooks are
 * told, and what their answers mean. Every stage reads the part it needs; `open.ts` hands the objects in, and no stage knows one by its name.
 */

import type { EventName } from "@hookloop/sdk";
import type { Fields } from "./field.ts";
import type { ConfiguredKind } from "./hook-kinds.ts";
import type { EventRow, FailureDirection } from "./row.ts";

/** The dialect of hookloop's own files, and of hooks that stand in no file. */
export const OWN_DIALECT = "native";

/** What is known of a dialect before any hook runs. */
export interface DialectFacts {
  /** Stands in trust records, so it never changes. */
  readonly name: string;
  readonly files: DialectFiles;
  readonly shape: DialectShape;
  readonly defaults: DialectDefaults;
  readonly quirks: DialectQuirks;
  readonly input: Pick<DialectInput<never>, "payload">;
}

/** A whole dialect. The stages that run hooks and judge them say what a hook, a run, an effect and a reading are. */
export interface Dialect<Hook, Run, Effect extends { readonly type: string }, Reading> extends DialectFacts {
  readonly input: DialectInput<Hook>;
  readonly answer: DialectAnswer<Hook, Run, Effect, Reading>;
}

export interface DialectFiles {
  /** The files of a session; inside one scope the first one's hooks stand first. */
  readonly read: readonly DialectFile[];
  /** What else is written in this dialect. One dialect has each of them. */
  readonly also?: readonly DialectRole[] | undefined;
}

/** `managed`: the files of policy. `settings`: what the program or the command line passes. `plugin`, `pack`: what these bring along. `head`: of a skill or subagent. */
export type DialectRole = "managed" | "settings" | "plugin" | "pack" | "head";

export interface DialectFile {
  readonly scope: "user" | "project" | "local";
  /** Where `path` begins: the session's folder, the root of its repository, the home folder, or that of hookloop's own settings. */
  readonly at: "project" | "repository" | "home" | "config";
  readonly path: string;
}

/** How a dialect lays out its file: everything the readers must know about it. */
export interface DialectShape {
  /** Completes "in …". */
  readonly title: string;
  /** Event names as the file spells them. */
  readonly events: Readonly<Record<string, EventName>>;
  /** Tool names as its matchers spell them. */
  readonly tools: readonly string[];
  /** Keys of the file, besides `hooks`. */
  readonly topLevel: Fields;
  /** The program that keeps its own settings in the same file: unknown keys are that program's. */
  readonly sharedWith?: string | undefined;
  /** `nested`: groups of hooks under one matcher. `flat`: every entry has its own matcher and is a command. */
  readonly entries: "nested" | "flat";
  readonly groupFields: readonly string[];
  /** A kind that nothing here knows is run by the embedding program's runner for it. */
  readonly kinds: Readonly<Record<string, Fields>>;
  /** `timeout` counts milliseconds, not seconds. */
  readonly hasMilliseconds?: true | undefined;
  /** Words that work here, but make the program the file belongs to drop it. */
  readonly extensions?:
    | { readonly groupFields: readonly string[]; readonly kinds: Readonly<Record<string, Fields>>; readonly fields: Fields }
    | undefined;
}

/** What holds for hooks where their file says nothing. */
export interface DialectDefaults {
  /** The time limit. */
  seconds(kind: ConfiguredKind, row: EventRow): number;
  /** What a failed hook does at an event where that can make a difference. */
  onFailure(row: EventRow): FailureDirection;
}

/** Small differences, as data. A registered hook carries those of its dialect. */
export interface DialectQuirks {
  /** hookloop's own words, such as `files`, can stand in its file. */
  readonly hasOwnWords: boolean;
  /** Scripts get the event's fields under the names of the catalogue. */
  readonly sendsWireNames: boolean;
  /** The event is also in these variables: a script that reads them need not read its stdin. */
  readonly inputVariables?: readonly string[] | undefined;
  /** `once` counts everywhere, not only in skills. */
  readonly honoursOnce: boolean;
  /** What becomes of a variable in a header that is not allowed or not set: an empty text and a warning, or a failed run. */
  readonly missingHeaderVariable: "empty" | "failure";
  /** The variable with the project's folder. */
  readonly projectVariable: string;
}

/** What the variables of a hook cannot be read off the event. */
export interface DialectSession {
  readonly projectRoot: string;
  /** How the agent was started; scripts look at it to tell programs from people. */
  readonly entrypoint?: string | undefined;
  /** Folder with one data folder per plugin. */
  readonly pluginDataRoot?: string | undefined;
  /** What the user set for each plugin, by its id. */
  readonly pluginOptions?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Writes a text to a new file that only this user can read (0600) and gives its path; it is removed with the session. */
  writeTemporary(name: string, content: string): string;
}

type Payload = Readonly<Record<string, unknown>>;

export interface DialectInput<Hook> {
  /** What this dialect calls a tool of the agent; left out where it has no names of its own. */
  toolName?(tool: string): string;
  /** The payload as this dialect's hooks expect it on stdin. */
  payload(event: EventName, input: Payload): Payload;
  /** Variables this dialect promises its hooks. Throws if a promise cannot be kept (a file that cannot be written): the run has then failed as `bad-input`. */
  variables(about: {
    readonly event: EventName;
    readonly input: Payload;
    readonly hook: Hook;
    readonly session: DialectSession;
  }): Readonly<Record<string, string>>;
}

export interface DialectAnswer<Hook, Run, Effect extends { readonly type: string }, Reading> {
  /** Effects that no answer in this dialect can have. */
  readonly cannotSay: readonly Effect["type"][];
  /** Exit code, stdout and stderr into effects; what is wrong with them into diagnostics. Never throws. */
  read(row: EventRow, event: EventName, run: Run): Reading;
  /** Whether the first line of stdout, seen while the hook runs, sends it to the background. Left out where no line does. */
  readFirstLine?(hook: Hook, line: string): { readonly timeoutMs?: number | undefined } | undefined;
  /** What is left of the effects of a run that is no longer waited for; all that is for the model or the user if left out. */
  fromBackground?(effects: readonly Effect[]): readonly Effect[];
}

/** The dialects of a session. */
export interface Dialects<One extends DialectFacts = DialectFacts> {
  readonly all: readonly One[];
  /** The one of that name. An unknown name is in the trust store only, of a gate that is never run: the first one stands for it. */
  of(name: string): One;
  /** The one that something besides its files is written in. */
  for(role: DialectRole): One;
}

export function dialectSet<One extends DialectFacts>(all: readonly [One, ...One[]]): Dialects<One> {
  const byName = new Map(all.map((dialect) => [dialect.name, dialect]));
  return {
    all,
    of: (name) => byName.get(name) ?? all[0],
    for: (role) => all.find(({ files }) => files.also?.includes(role)) ?? all[0],
  };
}
