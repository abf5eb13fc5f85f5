import type { AnswerQuestion } from "./elicitation.ts";

/** The questions of one server that somebody is being asked. */
export interface OpenQuestions {
  readonly areOpen: () => boolean;
  readonly answer: AnswerQuestion;
  /** A call that may lead to questions. Once no call runs any more, nobody waits for their answers: they are taken back. */
  during<Result>(call: () => Promise<Result>): Promise<Result>;
}

export function createOpenQuestions(answer: AnswerQuestion): OpenQuestions {
  let open = 0;
  let calls = 0;
  const ofCalls = new Set<AbortController>();
  return {
    areOpen: () => open > 0,
    async answer(question, signal) {
      const over = new AbortController();
      if (calls > 0) ofCalls.add(over);
      open++;
      try {
        return await answer(question, AbortSignal.any([signal, over.signal]));
      } finally {
        open--;
        ofCalls.delete(over);
      }
    },
    async during(call) {
      calls++;
      try {
        return await call();
      } finally {
        calls--;
        if (calls === 0) for (const over of ofCalls) over.abort();
      }
    },
  };
}
