import { afterName } from "../../../diagnostic.ts";
import type { Effect } from "../../../judge/index.ts";

/** What a hook did, in a few words that follow its name; nothing if it did nothing. */
export function effectWords(effects: readonly Effect[], name = ""): string | undefined {
  const words = effects.flatMap((effect) => {
    const word = WORDS[effect.type];
    return word === undefined ? [] : [withReason(word, afterName(name, reasonOf(effect)))];
  });
  return words.length === 0 ? undefined : words.join("; ");
}

const WORDS: Readonly<Partial<Record<Effect["type"], string>>> = {
  deny: "denied",
  ask: "asks you",
  defer: "put it off",
  approve: "said yes",
  halt: "stopped the agent",
  continueTurn: "keeps the agent going",
  rewriteInput: "changed the input",
  rewriteOutput: "changed the result",
  rewritePrompt: "changed the prompt",
  feedback: "told the model",
  context: "told the model",
  permissionUpdates: "changed permissions",
  set: "answered",
};

const LONGEST = 160;

function reasonOf(effect: Effect): string {
  if (effect.type === "rewriteInput") return JSON.stringify(effect.input);
  if ("reason" in effect) return effect.reason ?? "";
  return "text" in effect ? effect.text : "";
}

function withReason(word: string, reason: string): string {
  const line = reason.replace(/\s+/g, " ").trim();
  if (line === "") return word;
  return `${word}: ${line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line}`;
}
