/** Another model: `/model NAME` (PreModelSwitch may block), or the one of this run on resuming a session. Each fires PostModelSwitch. */
import { contextTokens } from "../compaction/context-tokens.ts";
import type { AgentCore, Feature } from "../types.ts";

/** Dollars for a million tokens written to a model's cache, where nothing better is known. */
const CACHE_WRITE_USD = 6.25;
const CACHE_MS = 5 * 60_000;

type Source = "command" | "auto" | "resume";

export function openModelSwitch(core: AgentCore): Feature {
  let lastCallAt = 0;
  const figures = (): Readonly<Record<string, unknown>> => {
    const context_tokens = contextTokens(core.conversation.messages);
    return {
      context_tokens,
      prompt_cache_warm: Date.now() - lastCallAt < CACHE_MS,
      cache_ttl: "5m",
      estimated_cache_write_usd: Math.round(context_tokens * CACHE_WRITE_USD) / 1_000_000,
      pricing: "default",
    };
  };
  const switched = async (from: string, to: string, source: Source, requested: string | null): Promise<void> => {
    await core.fireAndRemind("PostModelSwitch", { from_model: from, to_model: to, requested_model: requested, source, ...figures() });
  };
  const switchTo = async (wanted: string, signal: AbortSignal): Promise<string> => {
    const from = core.modelName();
    if (wanted === "") {
      const script = core.isScripted ? "; the answers come from the script (--script)" : "";
      return `The model is ${from}${script}. Another one: /model NAME (offline and offline-brief need no key)`;
    }
    if (wanted === from) return `The model is ${from} already.`;
    const model = core.modelNamed(wanted);
    if ("problem" in model) return `The model stays ${from}. ${model.problem}`;
    const input = { from_model: from, to_model: wanted, requested_model: wanted, source: "command", ...figures() };
    const verdict = await core.fire("PreModelSwitch", input, signal);
    if (verdict.decision === "deny" || verdict.decision === "ask") {
      return `The model stays ${from}; a hook blocked it: ${verdict.reasons.map(({ text }) => text).join("; ")}`;
    }
    model.use();
    await switched(from, wanted, "command", wanted);
    // A script goes on where it is: the switch is a rehearsal for hooks.
    const now = core.isScripted
      ? `The model is called ${wanted} now, for hooks; the answers still come from the script (--script).`
      : `The model is ${wanted} now.`;
    return `${now} To go back: /model ${from}`;
  };
  return {
    commands: { model: { description: "show or change the model", usage: "[NAME]", run: switchTo } },
    async started() {
      const before = core.earlierModel;
      if (before !== undefined && before !== "" && before !== core.modelName()) await switched(before, core.modelName(), "resume", null);
    },
    async beforeRequest() {
      lastCallAt = Date.now();
    },
  };
}
