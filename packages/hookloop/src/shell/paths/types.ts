import type { Span } from "../types.ts";

/** What happens to a path. */
export type Touch = "read" | "write" | "delete" | "create-link" | "create-folder" | "rename" | "permissions";

/** Where a command runs. */
export interface PathContext {
  readonly cwd: string;
  readonly home: string;
}

/** A place as far as a word tells it. */
export interface Place {
  /** Absolute, as text: links are not followed. Of a pattern: the folder it starts in. Undefined: its beginning is known only at run time. */
  readonly path: string | undefined;
  /** `path` is only the folder; what follows is a pattern or known only at run time. */
  readonly isGlob?: true;
  /** What follows `path`: patterns as written, what only the running shell knows as `UNKNOWN`. */
  readonly pattern?: string;
  /** The known end of a path whose beginning is not known: `x/y` of `$folder/x/y`. */
  readonly tail?: string;
  /** Nothing of it is known only at run time but the folder that the command runs in. */
  readonly isRelative?: true;
  /** It starts in a folder that only the running shell knows: what follows that, patterns as written. */
  readonly beyond?: string;
}

/** A folder in which git may change or take away anything, and everything in the work tree that it is part of. */
export interface WorkTree {
  readonly path: string;
  /** It becomes one of its own. */
  readonly isNew: boolean;
}

/** A path that a command reads or changes. */
export interface TouchedPath extends Place {
  readonly how: Touch;
  /** Everything below it too. */
  readonly isRecursive?: true;
  /** It is touched only if the folder it stands in exists: `cp a b` writes `b`, or `b/a` if `b` is a folder. */
  readonly ifFolder?: true;
  /** The file or folder whose content lands there. */
  readonly from?: string;
  /** Only what lies below it under one of these names or patterns: `find … -name`. */
  readonly names?: readonly string[];
  /** Only what is there already; nothing new is made below it. */
  readonly onlyExisting?: true;
  /** Only what git does not keep, in the whole work tree if it is a folder that the command merely runs in: `git stash -u`. */
  readonly onlyUntracked?: "tree" | "path";
  /** What lies below `.git` is spared: git itself works here. */
  readonly sparesGit?: true;
  /** What lands below it may have any name. */
  readonly hasAnyNames?: true;
  /** After a change of permissions its owner can still enter it. */
  readonly keepsEntry?: true;
  readonly span: Span;
  /** Index into the reading's `commands`. */
  readonly command: number;
}
