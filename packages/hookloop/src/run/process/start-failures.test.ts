import { expect, test } from "vitest";
import { shellFailure } from "./process-group.ts";

test.each([
  [127, "/bin/sh: 1: pyhton3: not found"],
  [127, "bash: line 1: pyhton3: command not found"],
  [126, "sh: 1: ./guard.sh: Permission denied"],
  [127, ""],
])("exit code %i with %j: the shell could not start what it was given", (code, stderr) => {
  expect(shellFailure(code, stderr)?.kind).toBe("could-not-start");
});

test.each([
  [127, "/p/hooks/guard.sh: 3: jq: not found"],
  [127, "hooks/guard.sh: line 3: jq: command not found"],
  [126, "/p/guard: line 2: ./check: Permission denied"],
  [1, "sh: 1: x: not found"],
])("exit code %i with %j is that of a script which ran", (code, stderr) => {
  expect(shellFailure(code, stderr)).toBeUndefined();
});
