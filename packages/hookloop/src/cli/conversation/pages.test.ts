import { expect, test } from "vitest";
import { makeHook } from "../../judge/outcome.test-suite.ts";
import { Permissions } from "../../permissions/permissions.ts";
import { MODES } from "../../permissions/rules/read-rules.ts";
import { permissionsPage } from "./own-commands.ts";
import { hooksPage } from "./why.ts";

const plain = (lines: readonly string[]): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are not what is looked at
  lines.join("\n").replace(/\u001b\[\d+m/g, "");
const hooks = ["good.sh", "missing.sh"].map((name) => makeHook({ id: `project:PreToolUse:${name}`, name, scope: "project" }));
const problemOf = ({ name }: { readonly name: string }): string | undefined =>
  name === "missing.sh" ? "there is no file /p/missing.sh" : undefined;

test("a hook whose script is not there has no check mark, and is counted as failing", () => {
  const page = plain(hooksPage({ admitted: hooks, idle: [], problemOf }, (text) => text));
  expect(page).toMatch(/✓ good\.sh\n/);
  expect(page).toMatch(/! missing\.sh\n.*\n {4}will fail every time: there is no file \/p\/missing\.sh/);
  expect(page).toMatch(/2 hooks, 1 will fail every time\.$/);
});

test("a hook that failed when it last ran has no check mark, and why stands below it", () => {
  const failureOf = (id: string): string | undefined => (id.endsWith("good.sh") ? "exit code 1" : undefined);
  const page = plain(hooksPage({ admitted: hooks, idle: [], failureOf }, (text) => text));
  expect(page).toMatch(/! good\.sh\n.*\n {4}failed when it last ran: exit code 1\. \/why says more\.\n/);
  expect(page).toMatch(/✓ missing\.sh\n/);
  expect(page).toMatch(/2 hooks, all will run\. 1 failed when it last ran\.$/);
});

test("a hook whose matcher fits nothing has no check mark, and an event that does not exist is named", () => {
  const [good, other] = hooks;
  if (!good || !other) throw new Error("there are two hooks");
  const never = { ...other, never: 'Nothing is called "bash". Did you mean "Bash"?' };
  const diagnostics = [{ code: "HL_CONFIG_UNKNOWN_EVENT", level: "warning", text: '"PreTooluse" is no event.' }] as const;
  const page = plain(hooksPage({ admitted: [good, never], idle: [], diagnostics }, (text) => text));
  expect(page).toMatch(/! missing\.sh\n.*\n {4}will not run: Nothing is called "bash"\. Did you mean "Bash"\?/);
  expect(page).toContain('"PreTooluse" is no event.');
  expect(page).toMatch(/2 hooks, 1 cannot run for all that it names\.$/);
});

test("where every script is there, all will run; one that will not run is not asked about", () => {
  expect(plain(hooksPage({ admitted: hooks.slice(0, 1), idle: [], problemOf }, (text) => text))).toMatch(/1 hook, all will run\.$/);
  const idle = hooks.slice(1).map((hook) => ({ hook, reason: "untrusted" as const, text: "not approved" }));
  expect(plain(hooksPage({ admitted: hooks.slice(0, 1), idle, problemOf }, (text) => text))).toMatch(/2 hooks, 1 will not run\.$/);
});

test("the modes there are can be read off, without a guess; what would be refused is not offered", () => {
  const first = (canBypass: boolean): string | undefined => permissionsPage(new Permissions({ root: "/w", canBypass }))[0];
  expect(first(true)).toBe(`Mode: default. Change it with /permissions MODE: ${MODES.join(", ")}.`);
  expect(first(false)).toBe("Mode: default. Change it with /permissions MODE: default, plan, acceptEdits, auto, dontAsk.");
});
