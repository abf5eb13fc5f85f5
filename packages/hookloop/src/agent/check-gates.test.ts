import { expect, test } from "vitest";
import { checkGates } from "./session-options.ts";

type Flags = Parameters<typeof checkGates>[0];
type Engine = Parameters<typeof checkGates>[2];

function stopped(withheld: readonly object[]): string {
  try {
    checkGates({} as Flags, {}, { withheld, trust: { gatesAbove: [] } } as unknown as Engine);
  } catch (thrown) {
    return (thrown as Error).message;
  }
  return "";
}

const gate = { event: "PreToolUse", id: "project:PreToolUse:0123456789", name: "no-rm" };
const text = 'The project hook "no-rm" (PreToolUse) has changed since it was approved and does not run.';

test("a gate that keeps a run from starting is named with its cause before its id", () => {
  expect(stopped([{ hook: gate, text }])).toContain(`nothing was started.\n  ${text} (id ${gate.id})\n`);
});

test("a long diff says how much of it is not shown, and which command shows it", () => {
  const message = stopped([{ hook: gate, text, diff: "+ x\n".repeat(1500) }]);
  expect(message).toContain("\n… 2000 more characters; hookloop trust review shows all of it\n");
  expect(stopped([{ hook: gate, text, diff: "+ x" }])).not.toContain("more character");
});
