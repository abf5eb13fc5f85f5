import http, { type IncomingMessage } from "node:http";
import https, { type RequestOptions } from "node:https";
import { onAbort } from "../abort-listeners.ts";
import { durationText, failure, thrownText } from "../failures.ts";
import { timerDelay } from "../limits.ts";
import { OutputBuffer } from "../process/index.ts";
import type { RawOutcome, RunFailure } from "../types.ts";
import { ADDRESS_REFUSED } from "./guarded-lookup.ts";

/** An answer is as long as a command may print; more is no answer. */
export const MAX_BODY_BYTES = 1_048_576;

export interface Post {
  readonly request: RequestOptions;
  readonly body: Buffer;
  /** For everything together: name, connection, sending, headers and body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type PostEnd = Pick<RawOutcome, "stdout" | "isBinary" | "httpStatus" | "failure">;

/** One request. Settles once, by the deadline at the latest, and never rejects. */
export function post({ request, body, timeoutMs, signal }: Post): Promise<PostEnd> {
  return new Promise((resolve) => {
    const answer = new OutputBuffer(MAX_BODY_BYTES);
    let httpStatus: number | undefined;
    let isOver = false;
    const end = (why?: RunFailure): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      forgetSignal();
      // Whatever is still on its way belongs to no answer; the connection is not used again.
      if (why) sent.destroy();
      const { text, isBinary } = answer.text();
      resolve({ stdout: text, isBinary, httpStatus, failure: why });
    };
    const sent = (request.protocol === "https:" ? https : http).request(request);
    const onLimit = (): void => end(failure("timeout", `it did not answer within ${durationText(timeoutMs)}`));
    const timer = setTimeout(onLimit, timerDelay(timeoutMs));
    const forgetSignal = onAbort(signal, () => end(failure("aborted", "the run was cancelled")));
    sent.on("error", (error) => end(connectionFailure(error)));
    sent.on("response", (response) => {
      httpStatus = response.statusCode;
      const problem = statusFailure(response) ?? lengthFailure(response);
      if (problem) return end(problem);
      response.on("data", (chunk: Buffer) => {
        answer.add(chunk);
        if (answer.isTruncated) end(TOO_LONG);
      });
      response.on("error", () => end(HUNG_UP));
      response.on("end", () => end());
    });
    sent.end(body);
  });
}

const TOO_LONG = failure("flood", "its answer is larger than 1 MiB");
const HUNG_UP = failure("unreachable", "its server closed the connection before the answer was whole");

function statusFailure({ statusCode = 0, headers }: IncomingMessage): RunFailure | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
  const target = isRedirect ? ` (to ${headers.location?.slice(0, 200)}); redirects are not followed` : "";
  return failure("http-status", `its server answered with status ${statusCode}${target}`);
}

/** Only a reason to stop early: the bytes are counted whatever the header says. */
function lengthFailure({ headers }: IncomingMessage): RunFailure | undefined {
  return Number(headers["content-length"] ?? 0) > MAX_BODY_BYTES ? TOO_LONG : undefined;
}

function connectionFailure(error: NodeJS.ErrnoException): RunFailure {
  if (error.code === ADDRESS_REFUSED) return failure("refused", `${error.message}; only "localhost" and public addresses can be reached`);
  // Several addresses were tried: the errors of each stand inside.
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  return failure("unreachable", `its server cannot be reached: ${thrownText(first)}`);
}
