/** Takes what a case expects and what its hook did, gives what is different, in the words of both. */

import { isObject } from "../check-options.ts";
import { type Outcome, sanitiseText, type Verdict } from "../judge/index.ts";
import { type Expectation, patternOf } from "./read-cases.ts";

export interface Mismatch {
  readonly expected: string;
  readonly received: string;
}

/** What is different; nothing if the hook did what is expected. A hook that failed never did, whatever its failure means to the agent. */
export function compareWithCase({ decision, says, field }: Expectation, verdict: Verdict): Mismatch | undefined {
  const failed = verdict.outcomes.find(({ failure }) => failure !== undefined);
  const expected = [
    ...(decision === undefined ? [] : [decision]),
    ...Object.entries(says).map(([name, value]) => `${name} ${quoted(value)}`),
  ];
  const isMet =
    failed === undefined &&
    (decision === undefined || isDecision(decision, verdict)) &&
    Object.entries(says).every(([name, value]) => isSaid(name, value, verdict, field));
  return isMet ? undefined : { expected: expected.join(", "), received: failed ? failedText(failed) : describeVerdict(verdict) };
}

/** SECURITY: a guard that crashes blocks as well, and must not pass for one that judges. */
function failedText({ failure, diagnostics }: Outcome): string {
  const [first] = diagnostics.filter(({ level }) => level === "error");
  return `the hook failed: ${sanitiseText(failure?.text ?? "")}${first && !first.text.includes(failure?.text ?? "") ? ` (${first.code})` : ""}`;
}

function isDecision(wanted: NonNullable<Expectation["decision"]>, verdict: Verdict): boolean {
  const { decision } = verdict;
  if (wanted === "deny") return isDenied(verdict);
  if (wanted === "none") return describeVerdict(verdict) === "none";
  if (wanted === "allow") return !isDenied(verdict) && (decision === "none" || decision === "allow");
  return decision === (wanted === "approve" ? "allow" : wanted) && verdict.halt === undefined;
}

/** It does not happen; at Stop, the agent goes on. */
function isDenied({ decision, halt, continueWith }: Verdict): boolean {
  return decision === "deny" || halt !== undefined || continueWith.length > 0;
}

const textsOf = (said: readonly { readonly text: string }[]): string => said.map(({ text }) => text).join("\n");

function reasonText({ reasons, halt, continueWith }: Verdict): string {
  return textsOf([...reasons, ...(halt ? [halt] : []), ...continueWith]);
}

function isSaid(name: string, wanted: unknown, verdict: Verdict, field: string | undefined): boolean {
  switch (name) {
    case "deny":
      return isDenied(verdict) && hasText(reasonText(verdict), wanted);
    case "ask":
      return verdict.decision === "ask" && hasText(reasonText(verdict), wanted);
    case "context":
      return hasText(textsOf(verdict.contexts), wanted);
    case "tell":
      return hasText(textsOf(verdict.tells), wanted);
    case "feedback":
      return hasText(textsOf(verdict.feedback), wanted);
    case "rewrite":
      return isRewritten(wanted, verdict, field);
    case "output":
      return verdict.updatedOutput !== undefined && holds(verdict.updatedOutput.value, wanted);
    case "redact":
      return verdict.updatedOutput !== undefined && !hasText(textOf(verdict.updatedOutput.value), wanted);
    default:
      return false;
  }
}

function isRewritten(wanted: unknown, { updatedInput, updatedPrompt }: Verdict, field: string | undefined): boolean {
  if (updatedPrompt !== undefined)
    return typeof wanted === "string" && (updatedPrompt === wanted || patternOf(wanted)?.test(updatedPrompt) === true);
  if (updatedInput === undefined) return false;
  if (typeof wanted !== "string") return holds(updatedInput, wanted);
  const value = field === undefined ? undefined : updatedInput[field];
  return value === wanted || patternOf(wanted)?.test(String(value)) === true;
}

/** A text has the wanted one in it; an object has its members. */
function holds(value: unknown, wanted: unknown): boolean {
  if (typeof wanted === "string") return hasText(textOf(value), wanted);
  if (!isObject(wanted)) return JSON.stringify(value) === JSON.stringify(wanted);
  return (
    isObject(value) &&
    Object.entries(wanted).every(([name, one]) => (typeof one === "string" ? value[name] === one : holds(value[name], one)))
  );
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  return isObject(value) ? Object.values(value).map(textOf).join("\n") : String(value);
}

function hasText(text: string, wanted: unknown): boolean {
  return typeof wanted === "string" && text !== "" && (patternOf(wanted)?.test(text) ?? text.includes(wanted));
}

function quoted(value: unknown): string {
  return typeof value === "string" && patternOf(value) ? value : JSON.stringify(value);
}

const WORDS: Readonly<Partial<Record<Verdict["decision"], string>>> = { allow: "approve" };

function describeVerdict(verdict: Verdict): string {
  const { decision, reasons, halt, continueWith, contexts, tells, feedback, updatedInput, updatedOutput, updatedPrompt, fields } = verdict;
  const isGoingOn = continueWith.length > 0;
  const word = isGoingOn ? "deny" : decision;
  const parts = [
    ...(word === "none" ? [] : [`${WORDS[word] ?? word}${reasonOf([...reasons, ...continueWith])}`]),
    ...(halt ? [`deny and stop${reasonOf([halt])}`] : []),
    ...texts("context", contexts),
    ...texts("tell", tells),
    ...texts("feedback", feedback),
    ...(updatedInput ? [`rewrite ${JSON.stringify(updatedInput)}`] : []),
    ...(updatedPrompt === undefined ? [] : [`rewrite ${JSON.stringify(updatedPrompt)}`]),
    ...(updatedOutput ? [`output ${JSON.stringify(updatedOutput.value)}`] : []),
    ...Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
  ];
  return parts.length === 0 ? "none" : parts.join(", ");
}

function reasonOf(said: readonly { readonly text: string }[]): string {
  const text = textsOf(said);
  return text === "" ? "" : ` ${JSON.stringify(text)}`;
}

function texts(name: string, said: readonly { readonly text: string }[]): readonly string[] {
  return said.length === 0 ? [] : [`${name} ${JSON.stringify(textsOf(said))}`];
}
