import { validateHeaderName, validateHeaderValue } from "node:http";
import type { RunNote } from "../types.ts";

/** `$NAME` or `${NAME}`; a lone `$` is itself. */
const REFERENCE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Headers that say where a message ends or where it goes: with two opinions about them a request can be split. */
const OURS: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade webhook-id webhook-signature webhook-timestamp".split(
    " ",
  ),
);

export interface HeaderOptions {
  readonly templates: Readonly<Record<string, unknown>>;
  /** The variable's value; undefined if it is not set. */
  readonly read: (variable: string) => string | undefined;
  readonly isAllowed: (variable: string) => boolean;
  /** What a variable that is not allowed or not set does. */
  readonly onMissing: "empty" | "failure";
}

export interface HeaderValues {
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: readonly RunNote[];
  /** Why the request must not be sent. Never has a value in it. */
  readonly problem?: string | undefined;
}

/** The headers of a hook with their variables filled in. */
export function headerValues(options: HeaderOptions): HeaderValues {
  const missing: string[] = [];
  const problems: string[] = [];
  const headers: [string, string][] = [];
  for (const [name, template] of Object.entries(options.templates)) {
    const { value, gaps } = fill(String(template), options);
    missing.push(...gaps.map((gap) => `header "${name}" names ${gap}`));
    const problem = problemOf(name, value);
    if (problem) problems.push(problem);
    else headers.push([name.toLowerCase(), value]);
  }
  const fatal = options.onMissing === "failure" ? [...missing, ...problems] : problems;
  return { headers: Object.fromEntries(headers), notes: options.onMissing === "empty" ? missing.map(emptyNote) : [], problem: fatal[0] };
}

function fill(template: string, { read, isAllowed }: HeaderOptions): { readonly value: string; readonly gaps: readonly string[] } {
  const gaps: string[] = [];
  const value = template.replace(REFERENCE, (_whole, braced: string | undefined, bare: string | undefined) => {
    const variable = braced ?? bare ?? "";
    const found = isAllowed(variable) ? read(variable) : undefined;
    if (found === undefined) gaps.push(isAllowed(variable) ? `$${variable}, which is not set` : `$${variable}, which is not allowed`);
    return found ?? "";
  });
  return { value, gaps };
}

function emptyNote(gap: string): RunNote {
  return {
    code: "HL_EXECUTE_HEADER_EMPTY",
    level: "warning",
    text: `${gap}; it was sent empty. Name the variable in "allowedEnvVars", and in "httpHookAllowedEnvVars" where that is set`,
  };
}

function problemOf(name: string, value: string): string | undefined {
  if (OURS.has(name.toLowerCase())) return `header "${name}" is set by hookloop and cannot be configured`;
  // SECURITY: a line break would add headers or a second request of the variable's choice.
  if (/[\r\n]/.test(value)) return `the value of header "${name}" has a line break`;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    // Node's own text would show the value.
    return `header "${name}" has a character that headers cannot have`;
  }
}
