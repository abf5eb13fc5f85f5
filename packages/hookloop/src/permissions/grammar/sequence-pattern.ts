/** Any run of items, also none. */
export const ANY: unique symbol = Symbol("any run");

/** One step of a pattern: a run of anything, or one item that passes a test. */
export type Step<Item> = typeof ANY | ((item: Item) => boolean);

/**
 * Whether the steps cover all items, from one of them on. Time is steps × items at most, whatever the pattern: only the last run is ever made longer,
 * because what stands between two runs fits best where it fits first.
 */
export function coversAll<Item>(steps: readonly Step<Item>[], items: ArrayLike<Item>, from = 0): boolean {
  let step = 0;
  let item = from;
  let run = -1;
  let runEnd = 0;
  while (item < items.length) {
    const test = steps[step];
    if (test === ANY) {
      run = step++;
      runEnd = item;
    } else if (test?.(items[item] as Item)) {
      step++;
      item++;
    } else if (run >= 0) {
      step = run + 1;
      item = ++runEnd;
    } else return false;
  }
  while (steps[step] === ANY) step++;
  return step === steps.length;
}
