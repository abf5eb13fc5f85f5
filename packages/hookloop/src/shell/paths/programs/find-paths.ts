import type { ShellWord } from "../../types.ts";
import { type Claim, each, type Program } from "./claim.ts";

const EXEC = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const NAMES = new Set(["-name", "-iname"]);
/** Tests whose value could look like an action. */
const VALUED = new Set("-name -iname -path -ipath -wholename -regex -iregex -lname -newer -samefile -user -group -printf -inum".split(" "));
/** With these the names do not bound what is found. */
const WIDENING = new Set(["!", "-not", "-o", "-or"]);
const WRITES = new Set(["-fprint", "-fprint0", "-fls", "-fprintf"]);

/** What `find` does below its starting points: it deletes them, or what it starts is done to each. */
export function findProgram(claimsOf: (words: readonly ShellWord[]) => readonly Claim[]): Program {
  return {
    onlyReads: true,
    forms: {},
    claims(_, words) {
      const { roots, rest } = splitWords(words);
      const names = namesIn(rest);
      const more = { isRecursive: true, onlyExisting: true as const, ...(names.length > 0 ? { names } : {}) };
      const found: Claim[] = [...each(roots, "read", { isRecursive: true }), ...each(writtenBy(rest), "write")];
      if (ownWords(rest).some(({ text }) => text === "-delete")) found.push(...doneTo(roots, { how: "delete", ...more }));
      for (const command of startedBy(rest)) {
        for (const { how } of claimsOf(command)) if (how !== "read") found.push(...doneTo(roots, { how, ...more }));
      }
      return found;
    },
  };
}

function doneTo(roots: readonly ShellWord[], claim: Omit<Claim, "word">): readonly Claim[] {
  return roots.length === 0 ? [{ word: undefined, ...claim }] : roots.map((word) => ({ word, ...claim }));
}

function splitWords(words: readonly ShellWord[]): { readonly roots: readonly ShellWord[]; readonly rest: readonly ShellWord[] } {
  let start = 1;
  while (/^-[HLP]$/.test(words[start]?.text ?? "")) start++;
  const end = words.findIndex(({ text }, at) => at >= start && /^[-(!]/.test(text));
  return end === -1 ? { roots: words.slice(start), rest: [] } : { roots: words.slice(start, end), rest: words.slice(end) };
}

function namesIn(rest: readonly ShellWord[]): readonly string[] {
  const values = rest.flatMap(({ text }, at) => (NAMES.has(text) ? [rest[at + 1]?.text ?? ""] : []));
  const hasOtherChoice = rest.some(({ text }, at) => WIDENING.has(text) && !(text.startsWith("-o") && NAMES.has(rest[at + 1]?.text ?? "")));
  return hasOtherChoice ? [] : values;
}

function writtenBy(rest: readonly ShellWord[]): readonly ShellWord[] {
  return rest.filter((_, at) => WRITES.has(rest[at - 1]?.text ?? ""));
}

/** The words that are not of a command it starts: `-exec echo -delete ;` deletes nothing. */
function ownWords(rest: readonly ShellWord[]): readonly ShellWord[] {
  let isInside = false;
  return rest.filter(({ text }, at) => {
    if (isInside) isInside = !(text === ";" || (text === "+" && rest[at - 1]?.text === "{}"));
    else if (EXEC.has(text)) isInside = true;
    else return !VALUED.has(rest[at - 1]?.text ?? "");
    return false;
  });
}

function startedBy(rest: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return rest.flatMap(({ text }, at) => {
    if (!EXEC.has(text)) return [];
    const end = rest.findIndex((word, index) => index > at && (word.text === ";" || word.text === "+"));
    return [rest.slice(at + 1, end === -1 ? undefined : end)];
  });
}
