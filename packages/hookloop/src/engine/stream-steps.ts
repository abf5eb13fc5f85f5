import type { Verdict } from "./merge/index.ts";
import type { Step } from "./session.ts";

/** Turns steps that are told into steps that are asked for; nothing is lost between two questions. */
export async function* streamSteps(start: (onStep: (step: Step) => void) => Verdict | Promise<Verdict>): AsyncGenerator<Step, Verdict> {
  const waiting: Step[] = [];
  let wake: () => void = () => {};
  let verdict: Verdict | undefined;
  const tell = (step: Step): void => {
    waiting.push(step);
    wake();
  };
  const done = Promise.resolve(start(tell)).then((value) => {
    verdict = value;
    wake();
    return value;
  });
  while (verdict === undefined || waiting.length > 0) {
    const next = waiting.shift();
    if (next) yield next;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
        // It may have ended between the last look and now.
        if (verdict !== undefined || waiting.length > 0) resolve();
      });
  }
  return done;
}
