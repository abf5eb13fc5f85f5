import type { Verdict } from "./merge/index.ts";
import type { Step } from "./session.ts";

type Start = (onStep: (step: Step) => void, abandoned: AbortSignal) => Verdict | Promise<Verdict>;

/** Turns steps that are told into steps that are asked for; nothing is lost between two questions. Who leaves early ends what runs. Steps get the prototype. */
export async function* streamSteps(start: Start, prototype: object): AsyncGenerator<Step, Verdict> {
  const waiting: Step[] = [];
  const of = (step: Step): Step => Object.assign(Object.create(prototype), step);
  const abandon = new AbortController();
  let wake: () => void = () => {};
  let verdict: Verdict | undefined;
  const tell = (step: Step): void => {
    // The last step is what the event gave in the end, which its caller may have changed once more.
    if (step.type !== "verdict") waiting.push(step);
    wake();
  };
  const done = Promise.resolve(start(tell, abandon.signal)).then((value) => {
    verdict = value;
    wake();
    return value;
  });
  try {
    while (verdict === undefined || waiting.length > 0) {
      const next = waiting.shift();
      if (next) yield of(next);
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
          // It may have ended between the last look and now.
          if (verdict !== undefined || waiting.length > 0) resolve();
        });
    }
  } finally {
    if (verdict === undefined) abandon.abort();
    await done;
  }
  yield of({ type: "verdict", verdict });
  return verdict;
}
