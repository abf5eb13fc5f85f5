import type { Dialect, Effect } from "../../engine/interpret/index.ts";
import { type AnswerRules, CLAUDE_RULES } from "./answer-rules.ts";
import { mayGoToBackground, readAsyncLine } from "./async-line.ts";
import { readClaudeRun } from "./from-output.ts";
import { type ClaudeEnvironment, claudeVariables } from "./to-env.ts";

/** The dialect of Claude Code's settings files, for one engine. */
export function createClaudeDialect(environment: ClaudeEnvironment): Dialect {
  return { ...speakerOfClaudeWire("claude", environment, CLAUDE_RULES), fromBackground };
}

/** Of a hook in the background the model gets `systemMessage` as well; plain text is a line in the log, whatever the event. */
function fromBackground(effects: readonly Effect[]): readonly Effect[] {
  return effects.flatMap((effect): readonly Effect[] => {
    if (effect.type === "tell") return [effect, { type: "context", text: effect.text }];
    return effect.type === "context" && effect.fromStdout ? [] : [effect];
  });
}

/** A dialect on the Claude wire; the canonical payload already is that wire. */
export function speakerOfClaudeWire(name: string, environment: ClaudeEnvironment, rules: AnswerRules): Dialect {
  return {
    name,
    toInput: (_event, input) => input,
    toEnv: (event, input, hook) => claudeVariables(environment, { event, input, hook }),
    readFirstLine: (hook, line) => (mayGoToBackground(hook) ? readAsyncLine(line) : undefined),
    fromOutput: (row, event, raw) => readClaudeRun({ event, row, raw, rules }),
  };
}
