/** How many letters of a name may be wrong. */
export type Tolerance = (length: number) => number;
/** More than a third is another word. */
export const ANY_SLIP: Tolerance = (length) => Math.max(2, Math.floor(length / 3));
/** Agents have tools of their own, whose names may be close to a known one. */
export const ONE_SLIP: Tolerance = (length) => (length < 4 ? 0 : length < 8 ? 1 : 2);

/** The name that was probably meant. */
export function nearest(given: string, known: readonly string[], tolerance: Tolerance): string | undefined {
  const wanted = plain(given);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const other = plain(name);
    const limit = tolerance(other.length);
    if (Math.abs(other.length - wanted.length) > limit) continue;
    const distance = slips(wanted, other);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

/** Case, quotes and what joins words are no difference: `web_fetch` is WebFetch. */
export function plain(name: string): string {
  return name.slice(0, 60).toLowerCase().replace(/[\W_]/g, "");
}

/** Letters to insert, remove, replace or swap with a neighbour. */
function slips(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const step = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1));
      rows[row]?.push(isSwapped ? Math.min(step, at(row - 2, column - 2) + 1) : step);
    }
  }
  return at(from.length, to.length);
}
