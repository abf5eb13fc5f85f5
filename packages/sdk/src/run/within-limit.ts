import { problem } from "../problem.ts";
import { crashed, failed, type Said, type Script } from "./script.ts";

/** Longer delays overflow Node's timers and would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

interface LimitedCall {
  readonly script: Pick<Script, "name" | "isGuard">;
  /** Milliseconds. */
  readonly limit: number;
  call(signal: AbortSignal): unknown;
  read(result: unknown): Said | Promise<Said>;
}

/** Calls a hook's code and reads what it gave; when the limit has passed the code is told by the signal and no longer waited for. */
export async function withinLimit({ script, limit, call, read }: LimitedCall): Promise<Said> {
  const delay = Math.min(limit, LONGEST_DELAY_MS);
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Said>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      resolve(failed(script, problem("HANDLER_TIMEOUT", `${script.name} gave no answer within ${limit} ms. Do less, or set timeoutMs`)));
    }, delay);
    // A hook that waits for nothing else ends at once.
    timer.unref();
  });
  try {
    return await Promise.race([timeout, Promise.resolve(call(controller.signal)).then(read)]);
  } catch (thrown) {
    return crashed(script, thrown);
  } finally {
    clearTimeout(timer);
  }
}
