import { expect, test } from "vitest";
import { type Diagnostic, digestUntrusted } from "./diagnostic.ts";

const untrusted = (hook: string): Diagnostic => ({ code: "HL_ADMIT_UNTRUSTED", level: "warning", text: hook, hook });

function digested(diagnostics: readonly Diagnostic[], later: readonly Diagnostic[] = []): readonly string[] {
  const said: string[] = [];
  const digest = digestUntrusted(({ text }) => said.push(text));
  for (const diagnostic of diagnostics) digest.report(diagnostic);
  digest.flush();
  for (const diagnostic of later) digest.report(diagnostic);
  digest.flush();
  return said;
}

test("five hooks that are not approved are named one by one", () => {
  const five = ["a", "b", "c", "d", "e"].map((name) => `project:Stop:${name}`);
  expect(digested(five.map(untrusted))).toEqual(five);
});

test("of more, the first five are named and the others counted by event; everything else is said as it comes", () => {
  const many = Array.from({ length: 20 }, (_, at) => untrusted(`project:${at % 3 === 0 ? "Stop" : "PreToolUse"}:${at}`));
  const other: Diagnostic = { code: "HL_TRUST_CHANGED", level: "error", text: "changed" };
  const said = digested([...many, other], [untrusted("project:Stop:late")]);
  expect(said).toHaveLength(8);
  expect(said.slice(5)).toEqual([
    "changed",
    "15 more hooks are not approved and do not run (PreToolUse 10, Stop 5). All of them: hookloop trust. Look at them: hookloop trust review",
    "project:Stop:late",
  ]);
});
