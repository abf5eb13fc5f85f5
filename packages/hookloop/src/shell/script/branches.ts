import type { AndOr, Case, If } from "unbash";
import type { Place } from "./place.ts";
import type { Reader } from "./reader.ts";
import { ShellState } from "./state/shell-state.ts";

/** `a && b || c`: what one command changes is certain for the next only as long as every operator is `&&`. */
export function readChain({ commands, operators }: AndOr, place: Place, { readNode, found }: Reader): void {
  const [first, ...rest] = commands;
  if (first) readNode(first, place);
  const anyOutcome = new ShellState(place.state);
  let last = place.state;
  let isAllAnd = true;
  rest.forEach((command, index) => {
    isAllAnd &&= operators[index] === "&&";
    last = new ShellState(isAllAnd ? last : anyOutcome);
    if (isAllAnd && isMove(commands[index], found)) last.folders.succeed();
    readNode(command, { ...place, state: last });
    anyOutcome.join(last);
  });
  place.state.join(anyOutcome);
}

/** `cd folder`, and nothing that only looks like it. */
function isMove(node: AndOr["commands"][number] | undefined, { functions }: Reader["found"]): boolean {
  const name = node?.type === "Command" ? node.name?.text : undefined;
  return (name === "cd" || name === "pushd") && !functions.has(name);
}

export function readBranches({ clause, then, elif, else: otherwise }: If, place: Place, { readNode }: Reader): void {
  readNode(clause, place);
  const outcomes: ShellState[] = [];
  const branch = (body: If["then"]): void => {
    const state = new ShellState(place.state);
    readNode(body, { ...place, state });
    outcomes.push(state);
  };
  branch(then);
  for (const { clause: condition, then: body } of elif) {
    readNode(condition, place);
    branch(body);
  }
  if (otherwise) branch(otherwise);
  for (const state of outcomes) place.state.join(state);
}

export function readCases({ word, items }: Case, place: Place, { readNode }: Reader): void {
  readNode(word, place);
  const outcomes: ShellState[] = [];
  let fallsThrough: ShellState | undefined;
  for (const { pattern, body, terminator } of items) {
    const state = new ShellState(place.state);
    if (fallsThrough) state.join(fallsThrough);
    for (const choice of pattern) readNode(choice, place);
    readNode(body, { ...place, state });
    outcomes.push(state);
    fallsThrough = terminator === ";&" || terminator === ";;&" ? state : undefined;
  }
  for (const state of outcomes) place.state.join(state);
}
