import type { Ability, EventName, HookResult } from "@hookloop/sdk";
import * as say from "@hookloop/sdk";
import { callHook } from "@hookloop/sdk/testing";
import { EVENTS, outputFieldsOf } from "../catalogue/index.ts";

/** What a hook writes when it says one thing. */
export interface OutputSample {
  /** The call in a hook's source. */
  readonly code: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

const ARGUMENTS: Readonly<Record<Exclude<Ability, "output">, unknown>> = {
  allow: "Reads only",
  deny: "Force pushes to main are not allowed",
  ask: "This deletes files",
  defer: "Wait for the release manager",
  block: "The tests do not pass yet",
  rewrite: { command: "npm test -- --run" },
  context: "The branch is 3 commits behind main",
  feedback: "The file does not parse: line 12",
  replaceOutput: { stdout: "[redacted]", stderr: "", interrupted: false },
  rewritePrompt: "Fix the failing test and explain the cause",
  stop: "The budget of this session is used up",
  tellUser: "Formatted 2 files",
};

const OUTPUT_VALUES: Readonly<Record<string, unknown>> = {
  initialUserMessage: "Summarise what changed since yesterday",
  sessionTitle: "Fix the parser",
  watchPaths: ["/home/user/project/.env"],
  reloadSkills: true,
  suppressOriginalPrompt: true,
  updatedParams: { temperature: 0 },
  displayContent: "All tests pass now. ✔",
  updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
  interrupt: true,
  retry: true,
  classifierContext: "The command only reads",
  action: "accept",
  content: { repository: "hookloop" },
  worktreePath: "/home/user/project/.worktrees/fix-parser",
};

/** The SDK's own answer, so that what is shown cannot differ from what is written. */
export async function outputSample(event: EventName, ability: Ability): Promise<OutputSample> {
  const argument = ability === "output" ? outputValues(event) : ARGUMENTS[ability];
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: every helper is shown, so every helper is needed
  const speak = say[ability] as (value: unknown) => HookResult;
  // A permission question is answered first; the rest is part of the answer.
  const needsAnswer = EVENTS[event].block === "request" && (ability === "rewrite" || ability === "output");
  const result = needsAnswer ? say.allow().with(speak(argument)) : speak(argument);
  const code = `${ability}(${JSON.stringify(argument)})`;
  const { stdout, stderr, exitCode } = await callHook({ event, options: {}, handler: () => result });
  return { code: needsAnswer ? `allow().with(${code})` : code, stdout, stderr, exitCode };
}

function outputValues(event: EventName): Record<string, unknown> {
  const names = Object.keys(outputFieldsOf(EVENTS[event])).filter((name) => name !== "interrupt");
  return Object.fromEntries(names.map((name) => [name, OUTPUT_VALUES[name]]));
}
