/** The known name that was probably meant, or nothing if none is close. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const limit = Math.min(farthest(name), best ? best.distance - 1 : Number.POSITIVE_INFINITY);
    // Each letter more or less is one to insert or remove: most names need no closer look, whatever their length.
    if (Math.abs(wanted.length - name.length) > limit) continue;
    const distance = editDistance(wanted, name.toLowerCase(), limit);
    if (distance <= limit) best = { name, distance };
  }
  return best?.name;
}

/** More than a third of the letters wrong is another word, not a slip. */
function farthest({ length }: string): number {
  return Math.max(2, Math.floor(length / 3));
}

/** Letters to insert, remove, replace or swap with a neighbour; anything above the limit once it is sure to be above. */
function editDistance(from: string, to: string, limit: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(at(previous, column) + 1, at(current, column - 1) + 1, at(previous, column - 1) + (isSame ? 0 : 1));
      if (isSwapped) current[column] = Math.min(at(current, column), at(beforePrevious, column - 2) + 1);
    }
    // A swap reaches back two rows.
    if (Math.min(...current) > limit && Math.min(...previous) > limit) return Number.POSITIVE_INFINITY;
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
