// @ts-check
// Rejects a prompt that contains a pasted private key, before the model sees it. Written with the S4 names: main(), loadHookInput(), emitBlock().
// The guard option is new: without it a hook that fails lets the prompt through, as S4 hooks always did.
import { emitBlock, loadHookInput, logInfo, runHook } from "@hookloop/sdk";

const NAME = "reject-pasted-key";
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,200}?[A-Za-z0-9+/]{40}/;

export function main() {
  const prompt = loadHookInput()?.prompt;
  if (typeof prompt !== "string") throw new Error("the event has no prompt to look at");
  if (!PRIVATE_KEY.test(prompt)) return;
  // SECURITY: the log gets the length, never the text.
  logInfo(NAME, "rejected a prompt with a private key", { length: prompt.length });
  emitBlock(
    "The prompt contains a private key. It was not sent. Replace the key if it has been anywhere else, and name its file instead of pasting it.",
  );
}

runHook(main, NAME, { guard: true });
