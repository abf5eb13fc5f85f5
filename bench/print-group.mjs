const COLUMNS = { "×": ["ratio", "ratio to spawn"], ns: ["ns", "measured"], µs: ["measured"], ms: ["CPU ms", "measured"] };

/** One table; numbers as a person reads them, and a mark where a target is missed. */
export function printGroup(title, rows) {
  console.log(`\n${title}`);
  console.table(Object.fromEntries(rows.map(({ name, ...row }, index) => [`${index + 1} ${name}`, shownRow(row)])));
}

function shownRow(row) {
  const cells = Object.entries(row).map(([column, value]) => [column, shown(value)]);
  return { ...Object.fromEntries(cells), "": isMissed(row) ? "missed" : "" };
}

/** A target reads `≤ 1.35 ×`, `≤ 25 ns` or `≤ 3 ms`; it is compared with what the table shows. */
function isMissed(row) {
  const [, limit, unit] = /^≤ ([\d.]+) (×|ns|µs|ms)/.exec(row.target ?? "") ?? [];
  const column = (COLUMNS[unit] ?? []).find((name) => row[name] !== undefined && row[name] !== "");
  return column !== undefined && Number.parseFloat(shown(row[column])) > Number(limit);
}

function shown(value) {
  if (typeof value !== "number") return value ?? "";
  if (value >= 100) return Math.round(value);
  return Number(value.toFixed(value >= 10 ? 1 : 2));
}
