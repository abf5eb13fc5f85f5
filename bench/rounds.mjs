/** Runs every case once per round in random order; gives the median of each. */
export function medians(cases, rounds) {
  const names = Object.keys(cases);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of [...names].sort(() => Math.random() - 0.5)) samples[name].push(cases[name]());
  }
  return Object.fromEntries(names.map((name) => [name, samples[name].sort((a, b) => a - b)[Math.floor(rounds / 2)]]));
}
