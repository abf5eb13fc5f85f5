import type { HookDefinition } from "../hook/definition.ts";
import type { HookResult } from "../hook/results.ts";
import { type Problem, problem } from "../problem.ts";
import { eventFacts, type Facts } from "../wire/event-facts.ts";
import { matches, missingToolField, misspeltTool } from "./filter.ts";
import type { ParsedPayload, Payload } from "./payload.ts";
import { failed, type Listener, type Said, type Script } from "./script.ts";
import { withinLimit } from "./within-limit.ts";

/** The hooks of one file as one script: those that match run side by side, and everything they say counts. */
export function hooksScript(definitions: readonly HookDefinition[], name: string): Script {
  const events = [...new Set<string>(definitions.map(({ event }) => event))];
  const script: Script = {
    name: definitions[1] ? name : (definitions[0]?.options.name ?? name),
    isGuard: definitions.some(({ options }) => options.guard),
    event: events[1] ? "" : (events[0] ?? ""),
    failureExitCode: 1,
    answer: async ({ payload, problem: broken }, listener) => {
      const misspelt = events.find((event) => !eventFacts(event));
      const facts = eventFacts(payload?.hook_event_name ?? "");
      // SECURITY: an unknown event may be a guard's own event under another agent's name, so a guard says no.
      if (!payload || !facts) return listener(failed(script, broken as Problem));
      if (misspelt) {
        const text = `a hook is declared for "${misspelt}", which is no event. See \`hookloop events\``;
        listener(failed(script, problem("EVENT_UNKNOWN", text)));
      }
      const addressed = definitions.filter(({ event }) => event === payload.hook_event_name);
      if (!addressed[0]) return listener({ parts: [], problems: [unexpected(payload.hook_event_name, events)] });
      const run = { payload, facts, broken, listener, name: script.name };
      return Promise.all(addressed.map((definition, order) => runDefinition(definition, order, run)));
    },
  };
  return script;
}

interface Run {
  readonly payload: Payload;
  readonly facts: Facts;
  readonly broken: ParsedPayload["problem"];
  readonly listener: Listener;
  readonly name: string;
}

async function runDefinition(
  { options, handler }: HookDefinition,
  order: number,
  { payload, facts, broken, listener, name }: Run,
): Promise<void> {
  const script = { name: options.name ?? name, isGuard: !!options.guard };
  const filter = facts.matcher ? (options.tool ?? options.match) : undefined;
  const misspelt = facts.matcher === "tool_name" ? misspeltTool(filter) : undefined;
  if (misspelt) return listener({ ...failed(script, misspelt), order });
  if (!broken && !matches(filter, facts, payload)) return;
  const unfit = broken ?? (script.isGuard ? missingToolField(filter, payload) : undefined) ?? missingHandler(script.name, handler);
  const limit = options.timeoutMs ?? facts.timeoutMs * 0.9;
  const call = (signal: AbortSignal): unknown => handler(payload as never, { signal });
  const said = unfit ? failed(script, unfit) : await withinLimit({ script, limit, call, read: (result) => readResult(script, result) });
  listener({ ...said, order });
}

function readResult(script: Pick<Script, "name" | "isGuard">, result: unknown): Said {
  if (result === undefined || result === null) return { parts: [], problems: [] };
  const { parts } = result as HookResult;
  if (Array.isArray(parts) && parts.every((part) => part?.can)) return { parts, problems: [] };
  const shown = typeof result === "function" ? "a function that it did not call" : String(JSON.stringify(result)).slice(0, 80);
  return failed(script, problem("RESULT_INVALID", `${script.name} returned ${shown}. Return deny(…), context(…) … or nothing`));
}

function missingHandler(name: string, handler: unknown): Problem | undefined {
  if (typeof handler === "function") return undefined;
  return problem("HANDLER_MISSING", `${name} has no handler. Write hook(event, options, (input) => …)`);
}

function unexpected(event: string, declared: readonly string[]): Problem {
  return problem(
    "EVENT_UNEXPECTED",
    `configured for ${event}, but declared for ${declared.join(", ")}. Mend the configuration or the hook`,
  );
}
