const BATCH_NS = 500_000;
const WARM_UP_ROUNDS = 20;

/**
 * Times calls that are too short for a clock. Every round runs every case once, in random order, in batches of about half a millisecond,
 * so that a neighbour's noise hits all of them alike; ratios are taken inside a round, then the median. Each case is called from a
 * generated function of its own, as V8 sees a program that has only this one call; a case that gives a promise is awaited.
 */
export async function nanoseconds(cases, rounds) {
  const names = Object.keys(cases);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const timers = Object.fromEntries(names.map((name) => [name, timerOf(cases[name])]));
  const sizes = Object.fromEntries(names.map((name) => [name, 1000]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const name of [...names].sort(() => Math.random() - 0.5)) {
      const ns = await timers[name](cases[name], sizes[name]);
      sizes[name] = Math.ceil(BATCH_NS / Math.max(ns, 1));
      if (round >= 0) samples[name].push(ns);
    }
  }
  return {
    ns: (name) => median(samples[name]),
    ratio: (name, floor) => median(samples[name].map((value, round) => value / samples[floor][round])),
  };
}

export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

const AsyncFunction = (async () => {}).constructor;

function timerOf(call) {
  const isAsync = typeof call()?.then === "function";
  // What a call gives is kept, or V8 would not make it.
  const body = `let kept;
    const started = process.hrtime.bigint();
    for (let left = times; left > 0; left--) kept = ${isAsync ? "await" : ""} call();
    const took = Number(process.hrtime.bigint() - started);
    return kept === times ? 0 : took / times;`;
  return isAsync ? new AsyncFunction("call", "times", body) : new Function("call", "times", body);
}
