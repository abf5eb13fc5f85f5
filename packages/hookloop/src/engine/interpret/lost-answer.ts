/** Takes text that was not read as an answer; says if it holds a decision or a failure all the same, so that none is lost without a word. */
import { sentence } from "../../wording.ts";
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

/** What is on stderr when something that a hook needed did not work, and its exit code did not say so. Short lines, so that none is slow. */
const FAILURE_SIGNS: readonly RegExp[] = [
  // Of a shell, about a line of the script: dash, then bash.
  /^[^:]{1,300}: \d+: .{1,300}: ./,
  /^[^:]{1,300}: line \d+: ./,
  /: not found$|\bcommand not found\b/,
  /\bNo such file or directory\b/,
  /: (?:Permission denied|cannot execute)/i,
  /^Traceback \(most recent call last\)/,
  /^ {2,8}at .{1,300}:\d+:\d+\)?$/,
  /\b(?:Cannot find (?:module|package)|Uncaught|Unhandled)\b/,
  /^jq: (?:error|parse error|\d+ compile error)/,
  // Of the SDK, but for what is said of hooks that work.
  /\bHL_SDK_(?!LOG_FAILED|PROMPT_KEPT|RESULT_CONFLICT|OPTION_IGNORED)[A-Z_]+/,
];
const SDK_NOTICE = /^HL_SDK_(?:LOG_FAILED|PROMPT_KEPT|RESULT_CONFLICT|OPTION_IGNORED): .{1,900}$/m;
const MAX_LINES = 200;

/** The first line that tells of a failure. */
export function failureSign(stderr: string): string | undefined {
  const lines = stderr.slice(0, 100_000).split("\n", MAX_LINES);
  return lines.map((line) => line.slice(0, 1000).trimEnd()).find((line) => FAILURE_SIGNS.some((sign) => sign.test(line)));
}

/** What the SDK says of a hook that works, as a sentence, if nothing else tells of a failure. */
export function sdkNotice(stderr: string): string | undefined {
  const said = failureSign(stderr) === undefined ? SDK_NOTICE.exec(stderr.slice(0, 100_000))?.[0] : undefined;
  return said === undefined ? undefined : sentence(said);
}

const REFUSING =
  /\b(?:den(?:y|ies|ied)|block(?:s|ed|ing)?|refus(?:e|es|ed)|reject(?:s|ed)?|forbid(?:s|den)?|prohibited|disallow(?:ed)?|not allowed)\b/i;

/** Words of somebody who wanted to block. */
export function isRefusal(text: string): boolean {
  return REFUSING.test(text);
}
