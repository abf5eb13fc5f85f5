/** Any run of items, also none. */
export const ANY: unique symbol = Symbol("any run");

/** One step of a pattern: a run of anything, or one item that passes a test. */
export type Step<Item> = typeof ANY | ((item: Item) => boolean);

/**
 * Whether the steps cover all items. Time is steps × items at most, whatever the pattern.
 * An item that `isUnknown` says yes to may stand for any run of items: then the answer is whether they could be covered.
 */
export function coversAll<Item>(
  steps: readonly Step<Item>[],
  items: Iterable<Item>,
  isUnknown: (item: Item) => boolean = () => false,
): boolean {
  let reached: ReadonlySet<number> = withRuns(steps, [0]);
  for (const item of items) {
    reached = isUnknown(item) ? fromLowest(reached, steps.length) : withRuns(steps, advance(steps, reached, item));
    if (reached.size === 0) return false;
  }
  return reached.has(steps.length);
}

function advance<Item>(steps: readonly Step<Item>[], reached: ReadonlySet<number>, item: Item): number[] {
  const next: number[] = [];
  for (const at of reached) {
    const step = steps[at];
    if (step === ANY) next.push(at);
    else if (step?.(item)) next.push(at + 1);
  }
  return next;
}

/** A run may be empty: standing before one is standing behind it too. */
function withRuns<Item>(steps: readonly Step<Item>[], places: readonly number[]): ReadonlySet<number> {
  const reached = new Set<number>();
  for (let place of places) {
    reached.add(place);
    while (steps[place] === ANY) reached.add(++place);
  }
  return reached;
}

function fromLowest(reached: ReadonlySet<number>, last: number): ReadonlySet<number> {
  const lowest = Math.min(...reached);
  return new Set(Array.from({ length: last - lowest + 1 }, (_, index) => lowest + index));
}
