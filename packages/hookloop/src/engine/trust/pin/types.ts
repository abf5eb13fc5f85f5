/** One file whose bytes are part of a hook. */
export interface FilePin {
  /** Relative to the hook's root, absolute if it lies outside. */
  readonly path: string;
  /** Where it really is. */
  readonly realpath: string;
  readonly isExecutable: boolean;
  readonly sha256: string;
  /** It lies neither in the project nor in the hook's own folder: its bytes count, but neither they nor their digest are shown. */
  readonly isOutside?: true | undefined;
}

/** Everything that trust in a hook is bound to. */
export interface HookRecord {
  readonly root: string;
  readonly source: Readonly<Record<string, string>>;
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly kind: string;
  readonly sequential: boolean;
  /** The entry's own fields as declared, without those that are only shown. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Programs it starts by name, and where each was found. */
  readonly programs: Readonly<Record<string, string>>;
  readonly files: readonly FilePin[];
  /** What decides how its scripts are read without being named: modules in the folder of a Python script, `type` of a `package.json`. Absent in approvals of older versions. */
  readonly surroundings?: Readonly<Record<string, unknown>> | undefined;
}

/** What looking at a hook gave. Nothing of it was run. */
export interface HookPins {
  readonly digest: string;
  readonly record: HookRecord;
  /** What it runs that could not be pinned, in words. */
  readonly unresolved: readonly string[];
  /** Code of the project that a hook of the user would run, in words: whose project it is decides what the hook does. */
  readonly foreign?: readonly string[] | undefined;
  /** Patterns of its `files` that fit nothing. */
  readonly unmatched?: readonly string[] | undefined;
  /** What it names that is not there. */
  readonly missing: readonly string[];
  /** It cannot be trusted at all, and why. */
  readonly untrustable?: string | undefined;
  /** Texts of the small files among `files`, by digest: for a diff. */
  readonly texts: ReadonlyMap<string, string>;
  /** Files that only its scripts name, there or not: what appears or changes there changes the hook. */
  readonly implied: readonly string[];
  /** Folders in which a new file would be loaded in place of another; the agent's tools may not put one there. */
  readonly moduleFolders: readonly string[];
}

/** Where a hook will run. */
export interface PinPlace {
  readonly projectRoot: string;
  readonly home: string;
  /** `PATH` of the session. */
  readonly path: string;
}
