/** How tables are written, and how what costs time to look up is looked up once. */

/** The words of a list that is written as one text. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

interface Known<Key, Value> {
  has(key: Key): boolean;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Asks once for each key. `known`: a `WeakMap`, if the keys are objects that go. */
export function remembered<Key, Value>(find: (key: Key) => Value, known: Known<Key, Value> = new Map<Key, Value>()): (key: Key) => Value {
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return known.get(key) as Value;
  };
}
