import type { HookDefinition } from "../hook/definition.ts";
import type { HookResult } from "../hook/results.ts";
import { type Problem, problem } from "../problem.ts";
import { eventFacts } from "../wire/event-facts.ts";
import type { Payload } from "./payload.ts";
import { crashed, failed, type Said, type Script } from "./script.ts";

const NOTHING: Said = { parts: [], problems: [] };

/** The hooks of one file as one script: those that match run side by side, and everything they say counts. */
export function hooksScript(definitions: readonly HookDefinition[], name: string): Script {
  const events = [...new Set<string>(definitions.map(({ event }) => event))];
  const script: Script = {
    name: definitions[1] ? name : (definitions[0]?.options.name ?? name),
    isGuard: definitions.some(({ options }) => options.guard),
    event: events[1] ? "" : (events[0] ?? ""),
    failureExitCode: 1,
    answer: async ({ payload, problem: broken }) => {
      const event = payload?.hook_event_name ?? "";
      // SECURITY: an unknown event may be a guard's own event under another agent's name, so a guard says no.
      if (!payload || !eventFacts(event)) return failed(script, broken as Problem);
      const addressed = definitions.filter((definition) => definition.event === event);
      if (!addressed[0]) return { ...NOTHING, problems: [unexpected(event, events)] };
      const all = await Promise.all(addressed.map((definition) => runHook(definition, payload, { name, broken })));
      return { parts: all.flatMap(({ parts }) => parts), problems: all.flatMap(({ problems }) => problems) };
    },
  };
  return script;
}

async function runHook(definition: HookDefinition, payload: Payload, file: { name: string; broken: Problem | undefined }): Promise<Said> {
  const { event, options, handler } = definition;
  const script = { name: options.name ?? file.name, isGuard: !!options.guard };
  if (file.broken) return failed(script, file.broken);
  const facts = eventFacts(event);
  if (!matches(options.tool ?? options.match, String(payload[facts?.matcher ?? ""]))) return NOTHING;
  // Shortly before the agent would give up, and let go.
  const limit = options.timeoutMs ?? (facts?.timeoutMs ?? 0) * 0.9;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Said>((resolve) => {
    timer = setTimeout(
      () => resolve(failed(script, problem("HANDLER_TIMEOUT", `${script.name} gave no answer within ${limit} ms`))),
      limit,
    );
    // A hook that waits for nothing else ends at once.
    timer.unref();
  });
  try {
    return await Promise.race([timeout, Promise.resolve(handler(payload as never)).then((result) => said(script, result))]);
  } catch (thrown) {
    return crashed(script, thrown);
  } finally {
    clearTimeout(timer);
  }
}

function said(script: Pick<Script, "name" | "isGuard">, result: unknown): Said {
  if (result === undefined || result === null) return NOTHING;
  const { parts } = result as HookResult;
  return Array.isArray(parts)
    ? { parts, problems: [] }
    : failed(
        script,
        problem(
          "RESULT_INVALID",
          `${script.name} returned ${String(JSON.stringify(result)).slice(0, 80)}. Return deny(…), context(…) … or nothing`,
        ),
      );
}

/** The subagent tool was once called Task; both names mean it. */
function matches(filter: string | readonly string[] | RegExp | undefined, value: string): boolean {
  if (filter === undefined) return true;
  const names = value === "Task" || value === "Agent" ? ["Task", "Agent"] : [value];
  return names.some((name) =>
    filter instanceof RegExp ? name.match(filter)?.[0] === name : filter === name || (Array.isArray(filter) && filter.includes(name)),
  );
}

function unexpected(event: string, declared: readonly string[]): Problem {
  return problem(
    "EVENT_UNEXPECTED",
    `configured for ${event}, but declared for ${declared.join(", ")}. Mend the configuration or the hook`,
  );
}
