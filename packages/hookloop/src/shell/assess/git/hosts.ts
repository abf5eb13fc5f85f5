import { operand } from "../call/call.ts";
import type { Judge, Rule } from "../rule.ts";

/** Where repositories are kept for everybody. */
export const HOST_RULES: readonly (Rule | Judge)[] = [
  // Other systems that keep versions.
  {
    programs: "hg",
    sub: "update|up|checkout|co",
    with: ["-C", "--clean"],
    kind: "git-discards-work",
    text: "it throws away changes that are in no commit",
  },
  { programs: "hg", sub: "purge|clean|revert", kind: "git-discards-work", text: "it throws away changes that are in no commit" },
  { programs: "hg", sub: "strip|rollback|histedit", kind: "git-rewrites-history", text: "it rewrites the history of the repository" },
  { programs: "hg", sub: "push", with: ["-f", "--force"], kind: "git-rewrites-history", text: "it replaces the history of the remote" },
  {
    programs: "svn",
    sub: "revert|cleanup",
    with: ["-R", "--recursive", "--remove-unversioned"],
    kind: "git-discards-work",
    text: "it throws away changes that are in no commit",
  },
  {
    programs: "gh",
    sub: "repo|release|secret|variable|gist|issue|run|cache|ssh-key|gpg-key|label|project|codespace|ruleset delete",
    when: (call) => /^(?:repo|release|secret|variable|ssh-key|gpg-key)$/.test(operand(call, 0)),
    kind: "destroys-service",
    text: "it deletes something on GitHub",
  },
  {
    programs: "gh",
    sub: "issue|gist|run|cache|label|project|codespace|ruleset delete",
    kind: "changes-service",
    text: "it deletes something on GitHub",
  },
  { programs: "gh", sub: "repo archive|rename|edit", kind: "changes-service", text: "it changes a repository on GitHub" },
  {
    programs: "gh",
    sub: "api",
    when: (call) => /^delete$/i.test(call.given.options.findLast(({ name }) => name === "-X" || name === "--method")?.value ?? ""),
    kind: "destroys-service",
    text: "it deletes something on GitHub",
  },
  { programs: "glab", sub: "repo|release|variable|ci|issue|mr delete", kind: "destroys-service", text: "it deletes something on GitLab" },
  {
    programs: "glab",
    sub: "api",
    when: (call) => /^delete$/i.test(call.given.options.findLast(({ name }) => name === "-X" || name === "--method")?.value ?? ""),
    kind: "destroys-service",
    text: "it deletes something on GitLab",
  },
];
