import { formsIn, type GivenOption, readArguments } from "../arguments.ts";
import { wordSet } from "../tables.ts";
import type { ShellWord } from "../types.ts";
import { textWord } from "../words.ts";
import { optionsBefore } from "./program.ts";
import { programName } from "./started.ts";

interface GitWords {
  readonly globals: readonly ShellWord[];
  readonly options: readonly GivenOption[];
  /** The sub-command with its words. */
  readonly rest: readonly ShellWord[];
}

/** `git-push x`, `/usr/lib/git-core/git-push x`: a sub-command called by a name of its own is `git push x`. */
export function withoutDash(words: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = words;
  const sub = first?.text.includes("git-") ? /^git-(.+)$/.exec(programName(words))?.[1] : undefined;
  if (!first || sub === undefined || !OWN_COMMANDS.has(sub)) return words;
  return [textWord("git", first.span, first.source), textWord(sub, first.span, first.source), ...rest];
}

/** Git's own options, and what follows them. */
export function splitGit(given: readonly ShellWord[]): GitWords {
  const words = withoutDash(given);
  const { options, operands } = readArguments(words, { ...formsIn(optionsBefore("git") ?? ""), isComplete: true, stopsAtOperand: true });
  return { globals: words.slice(1, words.length - operands.length), options, rest: operands };
}

/** Those that can be no alias: git takes its own command of that name. */
export const OWN_COMMANDS: ReadonlySet<string> = wordSet(
  "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch for-each-ref for-each-repo format-patch fsck gc grep gui hash-object help hook index-pack init interpret-trailers lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mergetool mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-ref sparse-checkout stash status stripspace submodule subtree switch symbolic-ref tag unpack-objects update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree",
);
