import { operand } from "../call/call.ts";
import type { Judge, Rule } from "../rule.ts";

/** Where repositories are kept for everybody. */
export const HOST_RULES: readonly (Rule | Judge)[] = [
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
