import { expect, test } from "vitest";
import { fixture, runScript } from "./run-script.ts";

test.each([
  ["1", "true\n"],
  ["", "false\n"],
  ["0", "false\n"],
])("with _CC_INTERNAL=%j isInternalCall() is %s", async (value, stdout) => {
  expect(await runScript(fixture("internal.mjs"), { env: { _CC_INTERNAL: value } })).toMatchObject({ stdout, stderr: "", exitCode: 0 });
});

test("without _CC_INTERNAL isInternalCall() is false", async () => {
  expect(await runScript(fixture("internal.mjs"), { shell: 'unset _CC_INTERNAL; exec "$@"' })).toMatchObject({ stdout: "false\n" });
});
