import type { Problem } from "../problem.ts";
import type { Payload } from "../run/payload.ts";
import type { Written } from "../wire/encode.ts";
import { writeLog } from "./write-log.ts";

/** Records what a hook answered, whole, and everything that went wrong on the way. Gives back why a record could not be written. */
export function logAnswer(
  hook: string,
  payload: Payload | undefined,
  { stdout, stderr, exitCode, refusal, problems }: Written,
  durationMs: number,
): Problem[] {
  const data = { event: payload?.hook_event_name, tool: payload?.["tool_name"], session: payload?.["session_id"], exitCode, durationMs };
  const failures = problems.map(({ message }) => writeLog({ level: "warn", hook, message, data }));
  const size = (stdout || stderr).length;
  const said = refusal ? `[block] ${size} chars, reason=${JSON.stringify(refusal.slice(0, 200))}` : `[context] ${size} chars`;
  const record = size
    ? writeLog({ level: "info", hook, message: `HOOK_OUTPUT ${said}`, data: { ...data, stdout, stderr, blockReason: refusal } })
    : writeLog({ level: "debug", hook, message: "no opinion", data });
  return [record, ...failures].flatMap((failure) => failure ?? []).slice(0, 1);
}
