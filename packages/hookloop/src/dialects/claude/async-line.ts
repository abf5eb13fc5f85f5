import { isObject, parseDocument } from "../../engine/interpret/index.ts";
import type { AdmittedHook } from "../../trust/index.ts";

/** What stands after a first line that sent the hook to the background. */
export interface AsyncLine {
  /** Milliseconds the background hook may take, if it said so. */
  readonly timeoutMs?: number | undefined;
  /** The answer it gave later. */
  readonly rest: string;
}

/**
 * SECURITY: a hook whose failure asks or blocks answers now. The line may be a text that the model wrote and the hook only
 * echoed, and would let the event go on without its no.
 */
export function mayGoToBackground({ isGuard, onFailure }: AdmittedHook): boolean {
  return !isGuard && onFailure === "continue";
}

/** Reads `{"async": true}` as the first line of stdout; nothing if the hook stays in the foreground. */
export function readAsyncLine(stdout: string): AsyncLine | undefined {
  const text = stdout.replace(/^\ufeff/, "").trimStart();
  if (!text.startsWith("{") || !text.includes('"async"')) return undefined;
  const lineEnd = text.indexOf("\n");
  const line = (lineEnd < 0 ? text : text.slice(0, lineEnd)).trim();
  const document = parseDocument(line);
  if (!document.isValid || document.end !== line.length || !isObject(document.value) || document.value["async"] !== true) return undefined;
  // An answer with a decision in it is an answer.
  if (Object.keys(document.value).some((name) => name !== "async" && name !== "asyncTimeout")) return undefined;
  const timeoutMs = document.value["asyncTimeout"];
  return {
    timeoutMs: typeof timeoutMs === "number" && timeoutMs > 0 ? timeoutMs : undefined,
    rest: lineEnd < 0 ? "" : text.slice(lineEnd + 1),
  };
}
