const MOST_LINES = 3;
const LONGEST_LINE = 500;
const SGR = /^\[[\d;]{0,40}m/;

/** What a status line may do to a terminal: colours and nothing else, in a few short lines. */
export function statusText(stdout: string): string {
  return stdout
    .trimEnd()
    .split(/\r?\n/)
    .slice(0, MOST_LINES)
    .map((line) => coloured(line.slice(0, LONGEST_LINE)))
    .join("\n");
}

/** SECURITY: other sequences move the cursor, set titles, write to the clipboard. */
function coloured(line: string): string {
  const [first = "", ...rest] = line.split("\u001b");
  const safe = [plain(first), ...rest.map((part) => (SGR.test(part) ? `\u001b${plain(part)}` : plain(part)))];
  return rest.length > 0 ? `${safe.join("")}\u001b[0m` : safe.join("");
}

function plain(text: string): string {
  return [...text].filter((character) => character >= " " && !(character >= "\u007f" && character <= "\u009f")).join("");
}
