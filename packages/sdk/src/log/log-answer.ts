import type { Problem } from "../problem.ts";
import type { Payload } from "../run/payload.ts";
import type { Written } from "../wire/encode.ts";
import { writeLog } from "./write-log.ts";

interface LoggedAnswer {
  readonly hook: string;
  readonly payload: Payload | undefined;
  readonly answer: Written;
  readonly durationMs: number;
}

/** Records what a hook answered, whole, and everything that went wrong on the way. Gives back why a record could not be written. */
export function logAnswer({ hook, payload, answer, durationMs }: LoggedAnswer): Problem[] {
  const { stdout, stderr, output, exitCode, refusal, problems } = answer;
  const run = { event: payload?.hook_event_name, tool: payload?.["tool_name"], session: payload?.["session_id"], exitCode, durationMs };
  const failures = problems.map(({ message }) => writeLog({ level: "warn", hook, message, data: run }));
  const size = (stdout || stderr).length;
  const said = refusal
    ? `[block] ${size} chars, reason=${JSON.stringify(refusal.slice(0, 200))}`
    : `[${stdout.includes('"additionalContext":') ? "context" : "output"}] ${size} chars`;
  const record = size
    ? writeLog({
        level: "info",
        hook,
        message: `HOOK_OUTPUT ${said}`,
        data: { ...run, output: stdout && output, stderr, blockReason: refusal },
      })
    : writeLog({ level: "debug", hook, message: "no opinion", data: run });
  return [record, ...failures].flatMap((failure) => failure ?? []).slice(0, 1);
}
