import { SourceMap } from "node:module";

const known = new Map<string, readonly SourceMap[]>();
const sources = new Map<string, readonly string[]>();

/** Errors thrown in `file` from now on name places of its source. */
export function rememberMappings(file: string, mappings: readonly string[]): void {
  sources.set(file, mappings);
  known.delete(file);
}

/** Stack traces of this process name places of the source, not of what was made of it. */
export function useSourcePlaces(): void {
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${sourceFrame(frame)}`);
    return `${headOf(error)}${lines.join("")}`;
  };
}

function headOf(error: Error): string {
  try {
    return String(error);
  } catch {
    // An error whose own text throws is still an error.
    return "Error";
  }
}

function sourceFrame(frame: NodeJS.CallSite): string {
  const file = frame.getFileName();
  const place =
    file === null || file === undefined ? undefined : sourcePlace(file, frame.getLineNumber() ?? 1, frame.getColumnNumber() ?? 1);
  const text = String(frame);
  return place === undefined ? text : text.replace(/:\d+:\d+(\)?)$/, (_, end: string) => `:${place}${end}`);
}

function sourcePlace(file: string, line: number, column: number): string | undefined {
  const mappings = sources.get(file);
  if (mappings === undefined) return undefined;
  const maps = known.get(file) ?? mappings.map((text) => new SourceMap({ ...EMPTY, mappings: text }));
  known.set(file, maps);
  let [row, column0] = [line - 1, column - 1];
  for (const map of maps) {
    const entry = map.findEntry(row, column0);
    if (!("originalLine" in entry)) return undefined;
    [row, column0] = [entry.originalLine, entry.originalColumn];
  }
  return `${row + 1}:${column0 + 1}`;
}

const EMPTY = { file: "", version: 3, sources: [""], sourcesContent: [], names: [], sourceRoot: "" };
