// Made from the event catalogue by `npm run generate`. Do not edit.

/** Inputs of the known tools. */
export interface ToolInputs {
  readonly Bash: {
    /** The shell command. */
    readonly command: string;
    /** What it does, in a few words of the model. */
    readonly description?: string;
    /** Limit in milliseconds. */
    readonly timeout?: number;
    /** Do not wait for it. */
    readonly run_in_background?: boolean;
  };
  readonly Read: {
    /** Absolute path of the file. */
    readonly file_path: string;
    /** First line to read. */
    readonly offset?: number;
    /** How many lines to read. */
    readonly limit?: number;
    /** Page range of a PDF. */
    readonly pages?: string;
  };
  readonly Write: {
    /** Absolute path of the file. */
    readonly file_path: string;
    /** The whole new content. */
    readonly content: string;
  };
  readonly Edit: {
    /** Absolute path of the file. */
    readonly file_path: string;
    /** The text to replace. */
    readonly old_string: string;
    /** What replaces it. */
    readonly new_string: string;
    /** Replace every occurrence, not only one. */
    readonly replace_all?: boolean;
  };
  readonly MultiEdit: {
    /** Absolute path of the file. */
    readonly file_path: string;
    /** The edits, in order. */
    readonly edits: readonly {
      /** The text to replace. */
      readonly old_string: string;
      /** What replaces it. */
      readonly new_string: string;
      /** Replace every occurrence, not only one. */
      readonly replace_all?: boolean;
    }[];
  };
  readonly NotebookEdit: {
    /** Absolute path of the notebook. */
    readonly notebook_path: string;
    /** New source of the cell. */
    readonly new_source: string;
    /** The cell. */
    readonly cell_id?: string;
    /** Type of the cell. */
    readonly cell_type?: "code" | "markdown";
    /** What to do with the cell. */
    readonly edit_mode?: "replace" | "insert" | "delete";
  };
  readonly Glob: {
    /** The glob. */
    readonly pattern: string;
    /** Folder to search in. */
    readonly path?: string;
  };
  readonly Grep: {
    /** The regular expression. */
    readonly pattern: string;
    /** File or folder to search in. */
    readonly path?: string;
    /** Only files that match. */
    readonly glob?: string;
    /** Only files of this type. */
    readonly type?: string;
    /** What to give back. */
    readonly output_mode?: "content" | "files_with_matches" | "count";
    /** Let the pattern span lines. */
    readonly multiline?: boolean;
    /** Only the first results. */
    readonly head_limit?: number;
  };
  readonly WebFetch: {
    /** The address. */
    readonly url: string;
    /** What to find on the page. */
    readonly prompt: string;
  };
  readonly WebSearch: {
    /** What to search for. */
    readonly query: string;
    /** Only these domains. */
    readonly allowed_domains?: readonly string[];
    /** Never these domains. */
    readonly blocked_domains?: readonly string[];
  };
  readonly TodoWrite: {
    /** The whole list. */
    readonly todos: readonly {
      /** What to do. */
      readonly content: string;
      /** How far it is. */
      readonly status: "pending" | "in_progress" | "completed";
      /** The same, as work in progress. */
      readonly activeForm: string;
    }[];
  };
  readonly Agent: {
    /** The task in a few words. */
    readonly description: string;
    /** The task. */
    readonly prompt: string;
    /** Type of the subagent. */
    readonly subagent_type?: string;
    /** Model of the subagent. */
    readonly model?: string;
    /** Do not wait for it. */
    readonly run_in_background?: boolean;
  };
  readonly Skill: {
    /** Name of the skill. */
    readonly skill: string;
    /** Its arguments. */
    readonly args?: string;
  };
  readonly ExitPlanMode: {
    /** The plan, as Markdown. */
    readonly plan?: string;
  };
  readonly AskUserQuestion: {
    /** The questions with their options. */
    readonly questions: unknown;
  };
  readonly TaskCreate: {
    /** The task in one line. */
    readonly subject: string;
    /** The task. */
    readonly description: string;
    /** The same, as work in progress. */
    readonly activeForm?: string;
  };
  readonly TaskUpdate: {
    /** The task. */
    readonly taskId: string;
    /** How far it is. */
    readonly status?: string;
    /** New subject. */
    readonly subject?: string;
    /** New description. */
    readonly description?: string;
    /** The same, as work in progress. */
    readonly activeForm?: string;
    /** Who works on it. */
    readonly owner?: string;
    /** Tasks that must be completed first. */
    readonly addBlockedBy?: readonly string[];
    /** Tasks that must wait for this one. */
    readonly addBlocks?: readonly string[];
  };
  readonly TaskList: Record<string, never>;
}

/** Responses of the known tools whose shape was measured. */
export interface ToolResponses {
  readonly Bash: {
    /** What it printed, both streams in the order of writing, without empty lines before and blanks after it. */
    readonly stdout: string;
    /** What the tool itself has to say of it; nothing of the command's. */
    readonly stderr: string;
    /** It was interrupted. */
    readonly interrupted: boolean;
    /** stdout is an image. */
    readonly isImage?: boolean;
    /** The command is one that prints nothing. */
    readonly noOutputExpected?: boolean;
    /** What an exit code other than 0 means that is no failure. */
    readonly returnCodeInterpretation?: string;
    /** It runs in the background. */
    readonly backgroundTaskId?: string;
  };
  readonly Read: {
    /** What kind of file it is; the fields are those of a text. */
    readonly type: "text" | (string & {});
    /** What was read. */
    readonly file: {
      /** The file. */
      readonly filePath: string;
      /** The lines that were read. */
      readonly content: string;
      /** How many lines were read; a new line at the end begins another one. */
      readonly numLines: number;
      /** The first of them. */
      readonly startLine: number;
      /** How many lines the file has. */
      readonly totalLines: number;
    };
  };
  readonly Write: {
    /** Whether there was a file before. */
    readonly type: "create" | "update";
    /** The file. */
    readonly filePath: string;
    /** What was written. */
    readonly content: string;
    /** The change, hunk by hunk. */
    readonly structuredPatch: readonly unknown[];
    /** The content before, or null. */
    readonly originalFile: string | null;
    /** The user changed the content before it was written. */
    readonly userModified?: boolean;
  };
  readonly Edit: {
    /** The file. */
    readonly filePath: string;
    /** The text that was replaced. */
    readonly oldString: string;
    /** What replaced it. */
    readonly newString: string;
    /** The content before. */
    readonly originalFile: string | null;
    /** The change, hunk by hunk. */
    readonly structuredPatch: readonly unknown[];
    /** The user changed the edit before it was made. */
    readonly userModified: boolean;
    /** Every occurrence was replaced. */
    readonly replaceAll: boolean;
  };
  readonly Glob: {
    /** The files. */
    readonly filenames: readonly string[];
    /** How long it took. */
    readonly durationMs: number;
    /** How many there are. */
    readonly numFiles: number;
    /** There are more. */
    readonly truncated: boolean;
  };
  readonly Grep: {
    /** The files with matches. */
    readonly filenames: readonly string[];
    /** How many there are. */
    readonly numFiles: number;
    /** What was asked for: `content`, `files_with_matches` or `count`. */
    readonly mode?: string;
    /** The lines, or the counts. */
    readonly content?: string;
  };
}

/** The name of a known tool. */
export type ToolName = keyof ToolInputs;
