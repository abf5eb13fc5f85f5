import { any, choice, either, type Fields, list, number, optional, record, text } from "./field.ts";

/** What a hook must do with a call, in one word. */
export const EXPECTED_DECISIONS = ["deny", "ask", "defer", "approve", "allow", "none"] as const;
export type ExpectedDecision = (typeof EXPECTED_DECISIONS)[number];

const TEXT = "a part of it, or a regular expression as `/…/i`";

/** The members of `expect` where it is an object; all of them must hold. */
export const EXPECT_FIELDS: Fields = {
  deny: optional(text(`It is denied with this reason: ${TEXT}.`)),
  ask: optional(text(`The user is asked with this reason: ${TEXT}.`)),
  context: optional(text(`The model gets this beside the event: ${TEXT}.`)),
  tell: optional(text(`The user is told this: ${TEXT}.`)),
  feedback: optional(text(`After a tool, the model is told this: ${TEXT}.`)),
  rewrite: optional(
    either([text(""), record("")], "The rewritten input has these fields; of a text, the prompt, or the field that the short form sets."),
  ),
  output: optional(either([text(""), record("")], `The replaced output of a tool has this: ${TEXT}, or fields.`)),
  redact: optional(text(`The output of a tool is replaced, and this is not in it any more: ${TEXT}.`)),
};

/** Of one case. Beside them stands the call, as `call` or in the short form: a tool or an event as the key. */
export const CASE_FIELDS: Fields = {
  name: optional(text("What the report calls it; the call if left out.")),
  call: optional(either([text(""), record("")], 'What happens: "Bash: git push", "Write: .env", "Stop", or a payload with `event`.')),
  expect: {
    type: { kind: "either", options: [choice(EXPECTED_DECISIONS, "").type, { kind: "record" }] },
    description: "What the hook must do: one word, or an object of what it must say.",
  },
  files: optional(record("Files, by name, that there are in a fresh folder; the hook runs there.")),
  options: optional(record("Options of a shipped hook, for this case only.")),
};

export const CASES_FILE: Fields = {
  $schema: optional(text("Where this schema is.")),
  hook: optional(text("The script, relative to this file; the one beside it with the same name if left out.")),
  use: optional(text("A hook that comes with hookloop, in the place of a script.")),
  options: optional(record("Options of that hook.")),
  files: optional(
    record("Files, by name, that there are in a fresh folder for each case; the hook runs there. Without it, in the current folder."),
  ),
  timeout: optional(number("Seconds that one case may take; 10 if left out.")),
  cases: list(any(""), "The cases."),
};
