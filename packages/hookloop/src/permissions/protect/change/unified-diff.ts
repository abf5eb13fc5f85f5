const CONTEXT = 3;
const MAX_LINES = 2000;

/** One hunk from the first to the last changed line, in the form people know; long ones are cut. */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  if (start === old.length && start === now.length) return "";
  const from = Math.max(0, start - CONTEXT);
  const kept = Math.min(end, CONTEXT);
  const [oldEnd, nowEnd] = [old.length - end, now.length - end];
  const body = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, oldEnd).map((line) => `-${line}`),
    ...now.slice(start, nowEnd).map((line) => `+${line}`),
    ...old.slice(oldEnd, oldEnd + kept).map((line) => ` ${line}`),
  ];
  const head = `@@ -${range(from, oldEnd + kept - from, old)} +${range(from, nowEnd + kept - from, now)} @@`;
  return [before === undefined ? "--- /dev/null" : `--- ${path}`, `+++ ${path}`, head, ...cut(body)].join("\n");
}

function range(from: number, count: number, lines: readonly string[]): string {
  return `${lines.length === 0 ? 0 : from + 1},${count}`;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`];
}

function cut(lines: readonly string[]): readonly string[] {
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines`];
}
