import { randomBytes } from "node:crypto";

const LONGEST = 64;

/** What is wrong with a name; nothing if it is one. It becomes a folder and a branch, so it is neither a path nor what git refuses. */
export function nameProblem(name: string): string | undefined {
  const isName = /^[A-Za-z0-9][\w.-]*$/.test(name) && name.length <= LONGEST && !/\.\.|\.$|\.lock$/i.test(name);
  if (isName) return undefined;
  const shown = JSON.stringify(name.slice(0, LONGEST + 1));
  return `${shown} is no name of a worktree. Use up to ${LONGEST} letters, digits, - _ and single dots, beginning with a letter or digit.`;
}

export function newName(): string {
  return `work-${randomBytes(4).toString("hex")}`;
}

/** The branch that is made for it. */
export function branchOf(name: string): string {
  return `worktree-${name}`;
}
