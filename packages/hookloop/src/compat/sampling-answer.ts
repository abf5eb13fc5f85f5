/** Reads what a handler returned. Takes anything; gives one of the answers there are. Refuses the rest with a text that says what was wrong. */

import type { Part } from "@hookloop/sdk";
import { isObject, isThenable, shown } from "../check-options.ts";
import { didYouMean } from "../diagnostic.ts";
import { NoAnswer } from "../run/index.ts";

/** An answer that is there; nothing returned is one too. */
export type SettledAnswer =
  | { readonly status: "continue" }
  | { readonly status: "cancel"; readonly reason: string }
  | { readonly status: "modify"; readonly data: unknown }
  | { readonly status: "say"; readonly parts: readonly Part[] };

/** The words of the source for a cancel without a reason. */
const NO_REASON = "Cancelled by hook";
const STATUSES = ["continue", "cancel", "modify", "defer"];
const CURE = 'Write { status: "continue" | "cancel" | "modify" | "defer", … }, or return nothing';

/** A promise that promises itself would otherwise keep the process busy for good. */
const MAX_DEFERS = 16;

/** Waits for a deferred answer and checks it. Throws `NoAnswer` if it is none, and whatever its promise is rejected with. */
export async function readAnswer(returned: unknown): Promise<SettledAnswer> {
  let answer = fieldsOf(returned);
  for (let count = 0; isObject(answer) && answer["status"] === "defer"; count++) {
    if (count === MAX_DEFERS) throw new NoAnswer(`its answer was deferred more than ${MAX_DEFERS} times`);
    const { promise } = answer;
    if (!isThenable(promise)) throw new NoAnswer('it returned { status: "defer" } without a promise');
    answer = fieldsOf(await promise);
  }
  if (answer === undefined || answer === null) return { status: "continue" };
  if (!isObject(answer)) throw new NoAnswer(`it returned ${shown(answer)}, which is no answer. ${CURE}`);
  if (Array.isArray(answer["parts"])) return { status: "say", parts: answer["parts"] };
  const read = READERS[String(answer["status"])];
  if (!read) throw new NoAnswer(`${unreadable(answer)}. ${CURE}`);
  return read(answer);
}

/** Read once: an answer may have code in its fields. */
function fieldsOf(returned: unknown): unknown {
  if (!isObject(returned)) return returned;
  try {
    return { ...returned };
  } catch {
    throw new NoAnswer("it returned an object whose fields cannot be read");
  }
}

type Answer = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<string, ((answer: Answer) => SettledAnswer) | undefined>> = {
  __proto__: null as never,
  continue: () => ({ status: "continue" }),
  // A no counts whatever its reason is.
  cancel: ({ reason, status: _status, ...others }) => ({ status: "cancel", reason: reasonOf(reason, Object.keys(others)) }),
  modify: (answer) => {
    if (answer["data"] === undefined) throw new NoAnswer('it returned { status: "modify" } without data');
    return { status: "modify", data: answer["data"] };
  },
};

function reasonOf(reason: unknown, others: readonly string[]): string {
  if (typeof reason === "string" && reason !== "") return reason;
  if (reason !== undefined && reason !== null && reason !== "") return `${NO_REASON} (its reason is ${shown(reason)}, not a text)`;
  return others.length === 0 ? NO_REASON : `${NO_REASON} (it has no "reason", but ${others.map((name) => `"${name}"`).join(", ")})`;
}

function unreadable({ status, action }: Answer): string {
  if (status === undefined && action !== undefined) return `it returned { action: ${shown(action)} }, and the field is called "status"`;
  if (status === undefined) return 'it returned an object without "status"';
  const hint = typeof status === "string" ? didYouMean(status, STATUSES).replace(/^ (.*)\?$/, " ($1?)") : "";
  return `it returned { status: ${shown(status)} }, which is no status${hint}`;
}
