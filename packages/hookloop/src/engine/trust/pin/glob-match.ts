/** Whether a path fits a pattern of `*`, `?` and `**` (any number of folders). Linear in both, however the pattern is made. */
export function globMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  // reach[j]: the pattern read so far fits the first j segments.
  let reach: readonly boolean[] = [true, ...segments.map(() => false)];
  for (const part of pattern) reach = part === "**" ? spread(reach) : step(reach, part, segments);
  return reach.at(-1) === true;
}

function spread(reach: readonly boolean[]): readonly boolean[] {
  const first = reach.indexOf(true);
  return reach.map((_, index) => first !== -1 && index >= first);
}

function step(reach: readonly boolean[], part: string, segments: readonly string[]): readonly boolean[] {
  return reach.map((_, index) => index > 0 && reach[index - 1] === true && nameMatch(part, segments[index - 1] ?? ""));
}

/** `*` and `?` inside one name; goes back only to the last star. */
function nameMatch(pattern: string, name: string): boolean {
  let [at, star, mark] = [0, -1, 0];
  for (let index = 0; index < name.length; ) {
    if (pattern[at] === "*") [star, mark, at] = [at, index, at + 1];
    else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[index])) [at, index] = [at + 1, index + 1];
    else if (star === -1) return false;
    else [at, mark, index] = [star + 1, mark + 1, mark + 1];
  }
  return /^\**$/.test(pattern.slice(at));
}
