/** Which agent is in which worktree: the way in and the way out. */
import { existsSync } from "node:fs";
import { ToolFailure } from "../../tools/types.ts";
import type { AgentCore } from "../types.ts";
import { createWorktree, existingWorktree } from "./create-worktree.ts";
import type { GitOptions } from "./git.ts";
import { removeWorktree } from "./remove-worktree.ts";
import type { LeaveInput, Stay, Visitor, Worktree } from "./types.ts";
import { nameProblem, newName } from "./worktree-name.ts";

export interface Left {
  readonly worktree: Worktree;
  /** Where the agent goes; absent: it was somewhere else anyway. */
  readonly backTo: string | undefined;
  readonly note: string;
}

export interface Visits {
  /** Whoever is in one now. */
  readonly stays: readonly Stay[];
  stayOf(id: string): Stay | undefined;
  /** Throws a `ToolFailure` if it cannot be; nothing has changed then. */
  enter(name: string | undefined, visitor: Visitor): Promise<{ readonly worktree: Worktree; readonly isNew: boolean }>;
  leave(input: LeaveInput, visitor: Visitor): Promise<Left>;
}

/** Id of the main agent among visitors. */
const MAIN = "";

export function createVisits(core: AgentCore, env: GitOptions["env"]): Visits {
  const stays = new Map<string, Stay>();
  /** Those of hooks, by name: nothing on the disk tells of them. */
  const ofHooks = new Map<string, Worktree>();
  const optionsFor = ({ signal }: Visitor): GitOptions => ({
    root: core.root,
    home: core.home,
    env,
    isTrusted: core.isWorkspaceTrusted,
    signal,
    programs: core.programs,
  });
  const find = async (name: string, visitor: Visitor): Promise<Worktree | undefined> =>
    stillThere(ofHooks.get(name)) ?? (await existingWorktree(name, optionsFor(visitor)));

  const remove = async (wanted: string, isDiscarding: boolean, visitor: Visitor): Promise<Left> => {
    const stay = stays.get(visitor.id);
    const isIn = stay?.worktree.name === wanted;
    const worktree = isIn ? stay.worktree : await find(wanted, visitor);
    if (!worktree) throw new ToolFailure(`There is no worktree "${wanted}".`);
    const ids = [...stays].filter(([, one]) => one.worktree.folder === worktree.folder).map(([id]) => id);
    // The main agent knows whom it has started, and which of them are done.
    if (visitor.id !== MAIN && ids.some((id) => id !== visitor.id)) {
      throw new ToolFailure(`Another agent works in the worktree ${wanted}. Leave it, and let the main agent remove it.`);
    }
    const note = await removeWorktree(core, { worktree, isDiscarding, visitor }, optionsFor(visitor));
    ofHooks.delete(wanted);
    for (const id of ids) stays.delete(id);
    return { worktree, backTo: isIn ? placeBefore(stay, core.root) : undefined, note };
  };

  const enter: Visits["enter"] = async (given, visitor) => {
    const current = stays.get(visitor.id);
    if (current) throw new ToolFailure(`You are in the worktree ${current.worktree.name} already. Leave it first.`);
    const name = checked(given ?? newName());
    const existing = await find(name, visitor);
    const worktree = existing ?? (await createWorktree(core, name, visitor, optionsFor(visitor)));
    if (worktree.madeBy === "hook") ofHooks.set(name, worktree);
    stays.set(visitor.id, { worktree, from: visitor.cwd });
    return { worktree, isNew: !existing };
  };

  const leave: Visits["leave"] = async ({ action, name, discard = false }, visitor) => {
    const stay = stays.get(visitor.id);
    const wanted = checked(name ?? stay?.worktree.name ?? nowhere());
    if (action === "remove") return await remove(wanted, discard, visitor);
    if (!stay || stay.worktree.name !== wanted) throw new ToolFailure(`You are not in the worktree ${wanted}; it stays as it is.`);
    stays.delete(visitor.id);
    return { worktree: stay.worktree, backTo: placeBefore(stay, core.root), note: "" };
  };

  const inTurn = createTurns();
  return {
    get stays() {
      return [...stays.values()];
    },
    stayOf: (id) => stays.get(id),
    enter: (name, visitor) => inTurn(() => enter(name, visitor)),
    leave: (input, visitor) => inTurn(() => leave(input, visitor)),
  };
}

/** One after the other: calls of one answer run at once, and so do agents. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

function stillThere(worktree: Worktree | undefined): Worktree | undefined {
  return worktree && existsSync(worktree.folder) ? worktree : undefined;
}

function checked(name: string): string {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new ToolFailure(problem);
  return name;
}

function nowhere(): never {
  throw new ToolFailure("You are in no worktree. Name the one you mean.");
}

function placeBefore({ from }: Stay, root: string): string {
  return existsSync(from) ? from : root;
}
