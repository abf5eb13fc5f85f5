import { UNKNOWN } from "../../../shell/index.ts";

const MAX_LENGTH = 512;
/** SECURITY: each one multiplies what a match can cost. */
const MAX_WILDCARDS = 6;

/** A shell pattern as a regular expression for a whole relative path; `isWide`: it also stands for a leading dot, and `**` for folders. What only the running shell knows can be anything, also with `/`. */
export function globPattern(pattern: string, foldsCase = false, isWide = false): RegExp {
  const wildcards = pattern.match(/[*?[\uFFFF]/g)?.length ?? 0;
  if (pattern.length > MAX_LENGTH || wildcards > MAX_WILDCARDS) return /^/;
  let source = "";
  for (let index = 0; index < pattern.length; index++) {
    const isStart = !isWide && (index === 0 || pattern.charAt(index - 1) === "/");
    const set = pattern.charAt(index) === "[" ? /^\[[!^]?\]?[^\]/]*\]/.exec(pattern.slice(index))?.[0] : undefined;
    source += set ? `${hidden(isStart)}[^/]` : piece(pattern.charAt(index), isStart);
    if (set) index += set.length - 1;
  }
  return new RegExp(
    `^${source.replaceAll(/(?:\[\^\/\]\*){2,}/g, isWide ? ".*" : "[^/]*").replaceAll(/^\.\*\//g, "(?:.*/)?")}(?=/|$)`,
    foldsCase ? "si" : "s",
  );
}

/** A pattern at the start of a name does not stand for a leading dot. */
function hidden(isStart: boolean): string {
  return isStart ? "(?!\\.)" : "";
}

function piece(character: string, isStart: boolean): string {
  if (character === UNKNOWN) return ".*";
  if (character === "*") return `${hidden(isStart)}[^/]*`;
  if (character === "?") return `${hidden(isStart)}[^/]`;
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
