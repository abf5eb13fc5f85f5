/** What kind of thing is protected. */
export type ProtectedKind =
  | "hook configuration"
  | "hook script"
  | "trust store"
  | "managed folder"
  | "agent configuration"
  | "git hooks"
  | "git repository"
  | "git configuration"
  | "shell start file"
  | "environment file"
  | "editor configuration"
  | "package manager configuration"
  | "scheduled job"
  | "login key"
  | "running agent"
  | "hookloop itself"
  | "configuration of this run"
  | "hookloop's own switches";

/** Why a path is not the agent's to change. */
export interface Protected {
  readonly what: ProtectedKind;
  readonly why: string;
}

/** How a command can name the agent. */
export interface AgentProcess {
  /** Its own and those of its parents. */
  readonly pids: readonly number[];
  /** As `ps` shows it. */
  readonly names: readonly string[];
  readonly commandLine: string;
}

/** Where a session runs and what it loaded. */
export interface ProtectContext {
  readonly cwd: string;
  /** The project; the session's folder unless it differs. */
  readonly root?: string | undefined;
  readonly home: string;
  /** The real environment of the program, for `XDG_CONFIG_HOME` and its kind. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files that registered hooks run. */
  readonly scripts?: readonly string[] | undefined;
  /** What those files name or may load, looked up when it is needed; a name that ends in `/` is a folder with everything in it. */
  readonly loaded?: (() => readonly string[]) | undefined;
  /** Folders of Python hooks: a module that is put there is loaded in place of another. */
  readonly moduleFolders?: readonly string[] | undefined;
  /** Configuration files that were read from elsewhere: `--settings`, inline plugins. */
  readonly files?: readonly string[] | undefined;
  /** Files that this run was given by name besides: `--mcp-config`, `--settings`, and the scripts of MCP servers. */
  readonly given?: readonly string[] | undefined;
  /** Folder of the package that runs; this one unless a test says otherwise. */
  readonly packageRoot?: string | undefined;
  /** Folders of the enabled plugins. */
  readonly plugins?: readonly string[] | undefined;
  readonly managedRoot?: string | undefined;
  /** The process that the guards run in; this one unless a test says otherwise. */
  readonly agent?: AgentProcess | undefined;
  readonly foldsCase?: ((folder: string) => boolean) | undefined;
}

/** A call of one of the agent's tools. */
export interface ProtectedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the tool works on, for tools that the catalogue does not know: as in `x_kind`. */
  readonly kind?: string | undefined;
}

/** The answer for a call that would reach something protected. Without a person to ask, it means no. */
export interface Protection {
  readonly isProtected: true;
  readonly decision: "ask";
  readonly reason: string;
  readonly paths: readonly (Protected & { readonly path: string })[];
  /** What a Write or Edit would change, for the person who is asked. */
  readonly diff?: string | undefined;
}
