import type { ShellReading } from "../../shell/index.ts";

const ASSIGNS = /(?<![\w$])([A-Za-z_]\w*)\+?=(?:"([^"]*)"|'([^']*)'|([^\s;&|()"'`]+))/g;
/** Variables that say where something is written, for every command that follows. */
const OUTPUT_VARIABLE = /TRACE|LOG|OUT|HIST|DUMP|COVERAGE|CACHE|RECORD/;

/** `HISTFILE=file; history -a`: the values. The reading leaves out commands that only assign. */
export function assignedOutputs(text: string, { sets, data }: ShellReading): readonly string[] {
  if (sets.length === 0) return [];
  return [...text.matchAll(ASSIGNS)].flatMap(({ 1: name = "", 2: double, 3: single, 4: plain, index }) => {
    const isData = data.some(({ start, end }) => index >= start && index < end);
    return OUTPUT_VARIABLE.test(name) && !isData ? [double ?? single ?? plain ?? ""] : [];
  });
}
