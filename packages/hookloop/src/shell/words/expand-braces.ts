/** More words than this are not written out. */
const MAX_WORDS = 64;
const SEQUENCE = /^(?:(-?\d{1,6})\.\.(-?\d{1,6})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.(-?\d{1,3}))?$/;

/** The words that `a{b,c}` stands for, still quoted as written; nothing if they are too many or hold what only the shell knows. */
export function expandBraces(word: string): readonly string[] | undefined {
  if (/[`$]/.test(word)) return undefined;
  const words = expand(word);
  return words.length > MAX_WORDS ? undefined : words;
}

function expand(word: string): readonly string[] {
  for (let at = 0; at < word.length; at = skip(word, at)) {
    if (word[at] !== "{") continue;
    const choices = choicesAt(word, at);
    if (choices)
      return combine(word.slice(0, at), choices.texts.flatMap(choices.isSequence ? (text) => [text] : expand), word.slice(choices.end));
  }
  return [word];
}

function combine(before: string, choices: readonly string[], after: string): readonly string[] {
  const ends = expand(after);
  if (choices.length * ends.length > MAX_WORDS) return new Array<string>(MAX_WORDS + 1).fill("");
  return choices.flatMap((choice) => ends.map((end) => before + choice + end));
}

interface Choices {
  readonly texts: readonly string[];
  readonly isSequence: boolean;
  readonly end: number;
}

/** What stands in the braces that open at `start`, if they are more than text. */
function choicesAt(word: string, start: number): Choices | undefined {
  const texts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < word.length; at = skip(word, at)) {
    const character = word[at];
    if (character === "{") depth++;
    else if (character === "," && depth === 1) {
      texts.push(word.slice(from, at));
      from = at + 1;
    } else if (character === "}" && --depth === 0) {
      const last = word.slice(from, at);
      if (texts.length > 0) return { texts: [...texts, last], isSequence: false, end: at + 1 };
      const sequence = readSequence(last);
      return sequence && { texts: sequence, isSequence: true, end: at + 1 };
    }
  }
  return undefined;
}

/** The place after this character, or after the quoted stretch that starts here. */
function skip(word: string, at: number): number {
  const character = word[at];
  if (character === "\\") return at + 2;
  if (character === "'") return endOf(word, at, "'");
  if (character !== '"') return at + 1;
  let end = at + 1;
  while (end < word.length && word[end] !== '"') end += word[end] === "\\" ? 2 : 1;
  return end + 1;
}

function endOf(word: string, at: number, quote: string): number {
  const end = word.indexOf(quote, at + 1);
  return end === -1 ? word.length : end + 1;
}

/** `{1..5}`, `{a..e..2}`. */
function readSequence(text: string): readonly string[] | undefined {
  const found = SEQUENCE.exec(text);
  if (!found) return undefined;
  const [, low, high, lower, lowerEnd, upper, upperEnd, step] = found;
  const letters = [lower ?? upper, lowerEnd ?? upperEnd];
  const isNumber = low !== undefined && high !== undefined;
  const start = isNumber ? Number(low) : (letters[0]?.charCodeAt(0) ?? 0);
  const end = isNumber ? Number(high) : (letters[1]?.charCodeAt(0) ?? 0);
  const stride = Math.abs(Number(step ?? 1)) || 1;
  const count = Math.floor(Math.abs(end - start) / stride) + 1;
  if (count > MAX_WORDS) return new Array<string>(MAX_WORDS + 1).fill("");
  const values = Array.from({ length: count }, (_, index) => start + (end < start ? -1 : 1) * stride * index);
  if (!isNumber) return values.map((value) => String.fromCharCode(value));
  const width = /^-?0\d/.test(low) || /^-?0\d/.test(high) ? Math.max(low.length, high.length) : 0;
  return values.map((value) => pad(value, width));
}

/** Leading zeros of either end widen every number; the sign counts. */
function pad(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}
