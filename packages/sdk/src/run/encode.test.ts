import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EVENT_FACTS } from "../generated/facts.ts";
import {
  allow,
  ask,
  block,
  context,
  defer,
  deny,
  feedback,
  type HookResult,
  output,
  replaceOutput,
  rewrite,
  rewritePrompt,
  stop,
  tellUser,
} from "../hook/results.ts";
import { callHook } from "../testing/index.ts";

/** Every helper but output(), which says something else on each event. */
const SAYINGS = {
  allow: allow("fine"),
  deny: deny("not here"),
  ask: ask("sure?"),
  defer: defer("later"),
  block: block("no"),
  rewrite: rewrite({ command: "ls" }),
  context: context("note"),
  feedback: feedback("mind"),
  replaceOutput: replaceOutput("short"),
  rewritePrompt: rewritePrompt("better"),
  stop: stop("enough"),
  tellUser: tellUser("hello"),
};

/** A value for every field that output() can set on some event, and for some that it can set on none. */
const FIELDS = {
  initialUserMessage: "go",
  sessionTitle: "title",
  watchPaths: ["/a"],
  reloadSkills: true,
  suppressOriginalPrompt: true,
  updatedParams: { temperature: 0 },
  displayContent: "shown",
  updatedPermissions: [],
  interrupt: true,
  retry: true,
  classifierContext: "safe",
  action: "accept",
  content: { repository: "x" },
  worktreePath: "/tmp/tree",
  additionalContext: "note",
  permissionDecision: "allow",
  updatedInput: {},
  updatedToolOutput: "x",
  hookEventName: "Stop",
  continue: false,
};

type Sayings = Partial<Record<keyof typeof SAYINGS, string>>;
interface Row extends Sayings {
  /** Said with exit code 2, the reason on stderr. */
  readonly exit2?: Sayings;
  /** Said, but with a warning. */
  readonly warns?: Sayings;
  readonly output?: Partial<Record<keyof typeof FIELDS, string>>;
}

/** Events that honour `continue` and `systemMessage` write both in the same way. */
const loop: Row = { stop: '{"continue":false,"stopReason":"enough"}', tellUser: '{"systemMessage":"hello"}' };
const topLevelBlock = '{"decision":"block","reason":"no"}';

/** What is written to stdout, from the specification of the events. A helper that is not listed cannot be said. */
const TABLE: Record<string, Row> = {
  Setup: { ...loop, context: '{"hookSpecificOutput":{"hookEventName":"Setup","additionalContext":"note"}}' },
  SessionStart: {
    ...loop,
    context: '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"note"}}',
    output: {
      initialUserMessage: '{"hookSpecificOutput":{"hookEventName":"SessionStart","initialUserMessage":"go"}}',
      sessionTitle: '{"hookSpecificOutput":{"hookEventName":"SessionStart","sessionTitle":"title"}}',
      watchPaths: '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["/a"]}}',
      reloadSkills: '{"hookSpecificOutput":{"hookEventName":"SessionStart","reloadSkills":true}}',
    },
  },
  InstructionsLoaded: {},
  UserPromptSubmit: {
    ...loop,
    block: topLevelBlock,
    context: '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"note"}}',
    rewritePrompt: '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","updatedPrompt":"better"}}',
    // Claude Code keeps the prompt as it is.
    warns: { rewritePrompt: "HL_SDK_PROMPT_KEPT" },
    output: {
      sessionTitle: '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"title"}}',
      suppressOriginalPrompt: '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true}}',
    },
  },
  UserPromptExpansion: {
    ...loop,
    block: topLevelBlock,
    context: '{"hookSpecificOutput":{"hookEventName":"UserPromptExpansion","additionalContext":"note"}}',
    output: { suppressOriginalPrompt: '{"hookSpecificOutput":{"hookEventName":"UserPromptExpansion","suppressOriginalPrompt":true}}' },
  },
  PreModelRequest: {
    ...loop,
    block: topLevelBlock,
    context: '{"hookSpecificOutput":{"hookEventName":"PreModelRequest","additionalContext":"note"}}',
    output: { updatedParams: '{"hookSpecificOutput":{"hookEventName":"PreModelRequest","updatedParams":{"temperature":0}}}' },
  },
  PostModelResponse: {
    ...loop,
    block: topLevelBlock,
    context: '{"hookSpecificOutput":{"hookEventName":"PostModelResponse","additionalContext":"note"}}',
    output: { updatedParams: '{"hookSpecificOutput":{"hookEventName":"PostModelResponse","updatedParams":{"temperature":0}}}' },
  },
  MessageDisplay: { output: { displayContent: '{"hookSpecificOutput":{"hookEventName":"MessageDisplay","displayContent":"shown"}}' } },
  PreToolUse: {
    ...loop,
    allow: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine"}}',
    deny: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not here"}}',
    ask: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}',
    defer: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer","permissionDecisionReason":"later"}}',
    block: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}',
    rewrite: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}',
    context: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"note"}}',
  },
  // rewrite() and the fields of output() are part of an answer: alone they say nothing (see encode-combined.test.ts).
  PermissionRequest: {
    ...loop,
    allow: '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}',
    deny: '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not here"}}}',
    block: '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}',
  },
  PermissionDenied: { ...loop, output: { retry: '{"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":true}}' } },
  PostToolUse: {
    ...loop,
    context: '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"note"}}',
    feedback: '{"decision":"block","reason":"mind"}',
    replaceOutput: '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"short"}}',
    output: { classifierContext: '{"hookSpecificOutput":{"hookEventName":"PostToolUse","classifierContext":"safe"}}' },
  },
  PostToolUseFailure: {
    ...loop,
    context: '{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"note"}}',
    exit2: { feedback: "mind" },
  },
  PostToolBatch: {
    ...loop,
    block: topLevelBlock,
    context: '{"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"note"}}',
  },
  Stop: { ...loop, block: topLevelBlock, context: '{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"note"}}' },
  SubagentStart: { ...loop, context: '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"note"}}' },
  SubagentStop: {
    ...loop,
    block: topLevelBlock,
    context: '{"hookSpecificOutput":{"hookEventName":"SubagentStop","additionalContext":"note"}}',
  },
  StopFailure: {},
  TaskCreated: { exit2: { block: "no" } },
  TaskCompleted: { ...loop, exit2: { block: "no" } },
  TeammateIdle: { ...loop, exit2: { block: "no" } },
  Notification: { context: '{"hookSpecificOutput":{"hookEventName":"Notification","additionalContext":"note"}}' },
  Elicitation: {
    block: '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}',
    output: {
      action: '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept"}}',
      content: '{"hookSpecificOutput":{"hookEventName":"Elicitation","content":{"repository":"x"}}}',
    },
  },
  ElicitationResult: {
    block: '{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"decline"}}',
    output: {
      action: '{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"accept"}}',
      content: '{"hookSpecificOutput":{"hookEventName":"ElicitationResult","content":{"repository":"x"}}}',
    },
  },
  ConfigChange: { block: topLevelBlock },
  CwdChanged: { output: { watchPaths: '{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":["/a"]}}' } },
  DirectoryAdded: {},
  FileChanged: { output: { watchPaths: '{"hookSpecificOutput":{"hookEventName":"FileChanged","watchPaths":["/a"]}}' } },
  // A command hook prints the path itself, not JSON.
  WorktreeCreate: { exit2: { block: "no" }, output: { worktreePath: "/tmp/tree" } },
  WorktreeRemove: {},
  PreCompact: { block: topLevelBlock },
  PostCompact: {},
  PreModelSwitch: {
    ...loop,
    allow: '{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"allow","permissionDecisionReason":"fine"}}',
    deny: '{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"not here"}}',
    ask: '{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"ask","permissionDecisionReason":"sure?"}}',
    block: '{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"no"}}',
  },
  PostModelSwitch: { ...loop, context: '{"hookSpecificOutput":{"hookEventName":"PostModelSwitch","additionalContext":"note"}}' },
  SessionEnd: {},
};

/** What a hook that returns `result` leaves behind, as an agent would start it. That Bash takes no text as its output is another test's affair. */
async function written(event: string, result: HookResult): Promise<object> {
  const answer = await callHook({ event: event as "Stop", options: {}, handler: () => result }, {}, { allowFailure: true });
  return {
    stdout: answer.stdout,
    stderr: answer.stderr,
    exitCode: answer.exitCode,
    problems: answer.diagnostics.map(({ code }) => code).filter((code) => code !== "HL_OUTPUT_NOT_HONOURED"),
  };
}

const refused = {
  stdout: "",
  stderr: expect.stringMatching(/^HL_SDK_NOT_EXPRESSIBLE: .+\n$/),
  exitCode: 1,
  problems: ["HL_SDK_NOT_EXPRESSIBLE", "HL_TEST_EXIT_CODE"],
};

function expected(line: string | undefined, exitReason?: string, warning?: string): object {
  if (exitReason !== undefined) return { stdout: "", stderr: `${exitReason}\n`, exitCode: 2, problems: [] };
  return line === undefined
    ? refused
    : { stdout: `${line}\n`, stderr: warning ? expect.stringContaining(warning) : "", exitCode: 0, problems: warning ? [warning] : [] };
}

// Set by hookloop for the hooks it starts: then the agent is known to be hookloop.
beforeEach(() => void vi.stubEnv("HOOKLOOP_VERSION", undefined));
afterEach(() => void vi.unstubAllEnvs());

it("rewritePrompt() needs no warning under hookloop, which rewrites prompts", async () => {
  vi.stubEnv("HOOKLOOP_VERSION", "0.1.0");
  expect(await written("UserPromptSubmit", rewritePrompt("better"))).toMatchObject({ exitCode: 0, problems: [] });
});

describe("every event × every helper", () => {
  it("is 35 events × 13 helpers", () => {
    expect(Object.keys(TABLE)).toHaveLength(35);
    expect(Object.keys(TABLE).sort()).toEqual(Object.keys(EVENT_FACTS).sort());
    expect(Object.keys(SAYINGS)).toHaveLength(12);
  });

  describe.each(Object.entries(TABLE))("%s", (event, row) => {
    it.each(Object.keys(SAYINGS) as (keyof typeof SAYINGS)[])("%s() writes exactly what the spec says, or is refused", async (helper) => {
      expect(await written(event, SAYINGS[helper])).toEqual(expected(row[helper], row.exit2?.[helper], row.warns?.[helper]));
    });

    it("output() sets the event's own fields and refuses every other", async () => {
      const found: Record<string, object> = {};
      const wanted: Record<string, object> = {};
      for (const field of Object.keys(FIELDS) as (keyof typeof FIELDS)[]) {
        found[field] = await written(event, output({ [field]: FIELDS[field] }));
        wanted[field] = expected(row.output?.[field]);
      }
      expect(found).toEqual(wanted);
    });
  });
});
