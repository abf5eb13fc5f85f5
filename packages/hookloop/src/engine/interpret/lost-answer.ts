/** Takes text that was not read as an answer; says if it holds a decision all the same, so that none is lost without a word. */
import { isObject } from "./check-type.ts";
import { type JsonObject, parseDocument } from "./strict-json.ts";

/** Objects inside of the text that are looked at; more are not tried. */
const MAX_CANDIDATES = 20;
/** A text that holds one of these names in quotes, escaped or not, meant to decide something. */
const DECISIVE = /(?:permissionDecision|hookSpecificOutput)\\?"/;

/** What is wrong with the form of a decision in this text; nothing if there is none. */
export function lostAnswer(text: string): string | undefined {
  if (!text.includes('"decision"') && !text.includes('"continue"') && !DECISIVE.test(text)) return undefined;
  for (const start of objectsIn(text)) {
    const document = parseDocument(text.slice(start));
    if (document.isValid && decides(document.value)) return "a decision stands inside of other text on stdout";
  }
  return DECISIVE.test(text) ? "a decision stands on stdout, but not as JSON that can be read" : undefined;
}

function objectsIn(text: string): number[] {
  const starts: number[] = [];
  for (const match of text.matchAll(/\{\s{0,80}"/g)) if (starts.push(match.index) === MAX_CANDIDATES) break;
  return starts;
}

function decides(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { decision, continue: goesOn, hookSpecificOutput } = value as JsonObject;
  return typeof decision === "string" || goesOn === false || isObject(hookSpecificOutput);
}

const REFUSING =
  /\b(?:den(?:y|ies|ied)|block(?:s|ed|ing)?|refus(?:e|es|ed)|reject(?:s|ed)?|forbid(?:s|den)?|prohibited|disallow(?:ed)?|not allowed)\b/i;

/** Words of somebody who wanted to block. */
export function isRefusal(text: string): boolean {
  return REFUSING.test(text);
}
