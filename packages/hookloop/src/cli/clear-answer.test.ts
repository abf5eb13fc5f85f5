import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { askClearly, createTurns, openLineQuestions, reviewAnswer, yesOrNo } from "./clear-answer.ts";

test.each(["y", "yes", "Yes please", "yes, please", "ok thanks", "sure!", "Yes please."])("%j is a yes, and approves", (given) => {
  expect(yesOrNo(given)).toEqual({ isYes: true });
  expect(reviewAnswer(given, false)).toBe("approve");
});

test.each(["yes but not that", "please", "yes pleaser", "y n", "yes please no"])("%j is not clear", (given) => {
  expect(yesOrNo(given)).toBeUndefined();
  expect(reviewAnswer(given, false)).toBeUndefined();
});

test.each(["yeah sure", "go ahead", "Go ahead, please.", "yes go ahead", "of course", "do it!"])(
  "%j is a clear yes at a question",
  (given) => {
    expect(yesOrNo(given)).toEqual({ isYes: true });
  },
);

test.each(["nah", "never", "not now", "no way", "No way!", "no thanks", "don't", "absolutely not"])(
  "%j is a denial without a reason",
  (given) => {
    expect(yesOrNo(given)).toEqual({ isYes: false, reason: "" });
  },
);

test.each(["y but be careful", "go ahead and delete it all", "sure not", "not sure", "never mind the tests, yes"])(
  "%j is asked again",
  (given) => {
    expect(yesOrNo(given)).toBeUndefined();
  },
);

test("a denial may have a reason, and not now is one", () => {
  expect(yesOrNo("no, use another name")).toEqual({ isYes: false, reason: "use another name" });
  expect(reviewAnswer("not now", false)).toBe("later");
});

test("a review reads answers as every question does: never and no thanks are a plain no, only r refuses for good", () => {
  for (const given of ["never", "no thanks", "No, thanks", "nope", "not yet"]) expect(reviewAnswer(given, false), given).toBe("later");
  for (const given of ["r", "refuse"]) expect(reviewAnswer(given, false), given).toBe("refuse");
  for (const given of ["go ahead", "yes please"]) expect(reviewAnswer(given, false), given).toBe("approve");
  for (const given of ["y but look", "no, it deletes", "r now"]) expect(reviewAnswer(given, false), given).toBeUndefined();
});

test("a line that was typed before the question could be read does not answer it, and its beginning is no beginning of the answer", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  let written = "";
  output.on("data", (chunk) => {
    written += chunk;
  });
  let read = (): void => {};
  const questions = openLineQuestions({
    input,
    output,
    waitForReader: (done) => {
      read = done;
      return () => {};
    },
  });
  onTestFinished(() => questions.close());
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  };
  let answer: string | undefined = "(open)";
  void questions.ask("Approve it?").then((given) => {
    answer = given;
  });
  input.write("y\n");
  await settled();
  expect(answer).toBe("(open)");
  expect(written).toContain('"y" was typed before the question could be read');
  read();
  input.write("n\n");
  await settled();
  expect(answer).toBe("n");
});

test("the next matter begins when the one before has its answer, also if that failed", async () => {
  const inTurn = createTurns();
  const seen: string[] = [];
  let answerFirst = (): void => {};
  const first = inTurn(async () => {
    seen.push("first");
    await new Promise<void>((resolve) => {
      answerFirst = resolve;
    });
    throw new Error("went away");
  });
  const second = inTurn(async () => seen.push("second"));
  await new Promise(setImmediate);
  expect(seen).toEqual(["first"]);
  answerFirst();
  await expect(first).rejects.toThrow("went away");
  await second;
  expect(seen).toEqual(["first", "second"]);
});

test("/help at a question shows what /why shows", async () => {
  const given = ["/help", "/why", "n"];
  const printed: string[] = [];
  const ask = async (): Promise<string | undefined> => given.shift();
  const print = (text: string): void => void printed.push(text);
  await askClearly({ ask, print, question: "Allow it?", read: yesOrNo, hint: "y or n.", why: () => ["a hook asks"] });
  expect(printed).toEqual(["a hook asks", "a hook asks"]);
});
