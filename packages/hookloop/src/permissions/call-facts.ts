import { homedir } from "node:os";
import { readCommand, type ShellReading } from "../shell/index.ts";
import { realTarget } from "./paths/index.ts";
import type { CallFacts } from "./types.ts";

interface CallInput {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly root: string;
  readonly home?: string | undefined;
  readonly read?: ((command: string) => ShellReading) | undefined;
  /** Where a path really leads, if somebody remembers it for several calls of these facts. */
  readonly target?: CallFacts["target"] | undefined;
}

/** The facts of one call: its command is parsed and its paths are resolved at most once. */
export function callFacts({ tool, input, cwd, root, home = homedir(), read = readCommand, target }: CallInput): CallFacts {
  const plain = typeof input === "object" && input !== null ? (input as CallFacts["input"]) : {};
  return {
    tool,
    input: plain,
    cwd,
    anchor: cwd,
    root,
    home,
    read: remembered(read),
    target: target ?? rememberedTarget(cwd),
    work: { left: MAX_WORK },
  };
}

/** Comparisons of one path or one KiB of text with one rule: a second at most, and a thousand times what rules and calls of people need. */
const MAX_WORK = 200_000;

/**
 * Takes comparisons from what the call may still cost. False: it is used up.
 * SECURITY: then a rule that forbids or asks counts as matching, one that allows does not.
 */
export function spendWork({ work }: Pick<CallFacts, "work">, comparisons: number): boolean {
  work.left -= comparisons;
  return work.left >= 0;
}

/** Looks each path up once. */
export function rememberedTarget(cwd: string): CallFacts["target"] {
  return remembered((path) => realTarget(path, { cwd }));
}

function remembered<Value>(look: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const value = look(text);
    known.set(text, value);
    return value;
  };
}
