import { createTurns } from "../clear-answer.ts";
import type { Screen } from "../screen/screen.ts";

/** The user who answers with these words, one after the other; nothing: they went away. */
export function userWho(...answers: (string | undefined)[]): { readonly screen: Screen; readonly seen: string[] } {
  const seen: string[] = [];
  const nothing = (): void => {};
  const screen: Screen = {
    columns: () => 80,
    print: (text) => void seen.push(text),
    stream: nothing,
    endStream: nothing,
    setProgress: nothing,
    setStatus: nothing,
    hasStatus: true,
    setBusy: nothing,
    async ask(question) {
      seen.push(question);
      return answers.shift();
    },
    inTurn: createTurns(),
    close: nothing,
  };
  return { screen, seen };
}
