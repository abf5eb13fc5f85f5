import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colour only where a person looks at a terminal that wants it. */
export function style(format: Style, text: string): string {
  const { env, stdout } = process;
  const isWanted = stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return isWanted ? styleText(format, text) : text;
}

/** Columns of the terminal; without one, lines are as long as they are. */
export function width(): number {
  return process.stdout.isTTY ? Math.max(40, process.stdout.columns) : Number.POSITIVE_INFINITY;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}
