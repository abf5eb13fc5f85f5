import type { Effect } from "../../../engine/interpret/index.ts";

/** What a hook did, in a few words; nothing if it did nothing. */
export function effectWords(effects: readonly Effect[]): string | undefined {
  const words = effects.flatMap((effect) => {
    const word = WORDS[effect.type];
    return word === undefined ? [] : [withReason(word, reasonOf(effect))];
  });
  return words.length === 0 ? undefined : words.join("; ");
}

const WORDS: Readonly<Partial<Record<Effect["type"], string>>> = {
  deny: "said no",
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
  if ("reason" in effect) return effect.reason ?? "";
  return "text" in effect ? effect.text : "";
}

function withReason(word: string, reason: string): string {
  const line = reason.replace(/\s+/g, " ").trim();
  if (line === "") return word;
  return `${word}: ${line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line}`;
}

/** `12 ms`, `3.4 s`. */
export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
