import type { Diagnostic } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import type { RawOutcome, RunFailureKind } from "./types.ts";

const FAILURE_CODES: Readonly<Record<RunFailureKind, ErrorCode>> = {
  "could-not-start": "HL_EXECUTE_COULD_NOT_START",
  exit: "HL_EXECUTE_EXIT",
  signal: "HL_EXECUTE_SIGNAL",
  timeout: "HL_EXECUTE_TIMEOUT",
  aborted: "HL_EXECUTE_ABORTED",
  flood: "HL_EXECUTE_FLOOD",
  threw: "HL_EXECUTE_THREW",
  "bad-input": "HL_EXECUTE_BAD_INPUT",
};

const CURES: Readonly<Record<RunFailureKind, string>> = {
  "could-not-start": "check the command, its path and its permissions",
  exit: "see what it wrote to stderr",
  signal: "see what ended it; an answer it printed before does not count",
  timeout: 'make it faster, or raise its "timeout" (seconds)',
  aborted: "nothing to do",
  flood: "let it print only its answer",
  threw: "catch errors in the function, and answer instead",
  "bad-input": "give the event plain JSON values: no cycles, no BigInt",
};

/** What a person should know about one run, apart from what its answer means. */
export function runDiagnostics(outcome: RawOutcome): Diagnostic[] {
  const { hook, failure } = outcome;
  const about = { place: hook.place, hook: hook.id };
  const found: Diagnostic[] = [];
  if (failure) {
    const level = failure.kind === "aborted" ? "notice" : "error";
    found.push({
      ...about,
      code: FAILURE_CODES[failure.kind],
      level,
      text: `hook "${hook.name}": ${failure.text}; ${CURES[failure.kind]}`,
    });
  }
  for (const [code, text] of flags(outcome)) found.push({ ...about, code, level: "warning", text: `hook "${hook.name}" ${text}` });
  return found;
}

function flags({ missingCwd, isTruncated, pipesHeld }: RawOutcome): [ErrorCode, string][] {
  const found: [ErrorCode, string][] = [];
  if (missingCwd !== undefined) {
    found.push(["HL_EXECUTE_CWD_MISSING", `ran in the project root, because ${missingCwd} is not a folder (any more)`]);
  }
  if (isTruncated)
    found.push(["HL_EXECUTE_TRUNCATED", "printed more than is kept (1 MiB of stdout, 256 KiB of stderr); write large results to a file"]);
  if (pipesHeld) {
    found.push([
      "HL_EXECUTE_PIPES_HELD",
      "left something running that holds its output open; redirect the output of background commands (>/dev/null 2>&1)",
    ]);
  }
  return found;
}
