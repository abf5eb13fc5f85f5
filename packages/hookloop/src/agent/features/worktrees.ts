/**
 * Worktrees: an agent may work in its own checkout of the project, `<project>/.claude/worktrees/<name>`, or where a hook says.
 *   WorktreeCreate (may refuse it, or make it) → git worktree add → CwdChanged … WorktreeRemove → git worktree remove → CwdChanged
 * Work that would be lost is listed instead of removed. What is not left when the session ends is kept.
 */

import { randomBytes } from "node:crypto";
import { existsSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { visibleLine } from "../../diagnostic.ts";
import type { EventInput } from "../../engine/index.ts";
import { isInside, ownGitFolders, realTarget } from "../../permissions/index.ts";
import { GitFailure, type GitOptions, git as runGit } from "../../run/index.ts";
import { isFolder, makeFolders } from "../../state-files.ts";
import { type AgentTool, agentFields, type ToolContext, ToolFailure, toolList } from "../tools/types.ts";
import { type AgentCore, type BuiltinCommand, changeDirectories, type Feature, throwIfRefused } from "./types.ts";

export interface Worktree {
  readonly name: string;
  readonly folder: string;
  readonly madeBy: "git" | "hook";
  /** It lies outside of the workspace and was added to it. */
  readonly isAdded: boolean;
}

interface Occupancy {
  readonly worktree: Worktree;
  readonly from: string;
}

export interface Visitor {
  readonly id: string;
  readonly cwd: string;
  readonly fields: EventInput;
  readonly signal: AbortSignal;
}

export interface LeaveInput {
  readonly action: "keep" | "remove";
  readonly name?: string | undefined;
  /** Also what would be lost with it. */
  readonly discard?: boolean | undefined;
}

export function openWorktrees(core: AgentCore, env: GitOptions["env"]): Feature {
  const visits = createVisits(core, env);
  return {
    tools: toolList(createEnterWorktree(visits), createExitWorktree(visits)),
    commands: { worktree: worktreeCommand(core, visits) },
    close() {
      for (const { worktree } of visits.occupied) {
        core.emit({ type: "tell", text: `The worktree ${worktree.name} was kept: ${worktree.folder}` });
      }
    },
  };
}

const USAGE = "Say /worktree NAME, /worktree --keep, or /worktree --remove [NAME] [--discard].";

function worktreeCommand(core: AgentCore, visits: Visits): BuiltinCommand {
  return {
    description: "work in a git worktree of its own",
    usage: "NAME | --keep | --remove [NAME] [--discard]",
    async run(args, signal) {
      const visitor: Visitor = { id: "", cwd: core.cwd(), fields: {}, signal };
      try {
        return await obey(core, visits, args.split(/\s+/).filter(Boolean), visitor);
      } catch (error) {
        if (error instanceof ToolFailure) return error.text;
        throw error;
      }
    },
  };
}

async function obey(core: AgentCore, visits: Visits, words: readonly string[], visitor: Visitor): Promise<string> {
  const [first] = words;
  if (first === undefined) {
    const occupancy = visits.occupancyOf(visitor.id);
    return occupancy
      ? `The agent is in the worktree ${occupancy.worktree.name}: ${occupancy.worktree.folder}. ${USAGE}`
      : `The agent is in no worktree. ${USAGE}`;
  }
  const leaving = leaveInput(words);
  if (leaving) {
    const left = await visits.leave(leaving, visitor);
    if (left.backTo !== undefined) await core.moveTo(left.backTo, visitor.signal);
    const said = leftText(leaving.action, left);
    core.remind(`The user did this: ${said}`);
    return said;
  }
  if (words.length > 1 || first.startsWith("--")) return USAGE;
  const { worktree, isNew } = await visits.enter(first, visitor);
  await core.moveTo(worktree.folder, visitor.signal);
  const said = enteredText(worktree, isNew);
  core.remind(`The user did this: ${said}`);
  return said;
}

function leaveInput(words: readonly string[]): LeaveInput | undefined {
  const [first, ...rest] = words;
  if (first === "--keep" && rest.length === 0) return { action: "keep" };
  const names = rest.filter((word) => word !== "--discard");
  if (first !== "--remove" || names.length > 1 || names[0]?.startsWith("--")) return undefined;
  return { action: "remove", name: names[0], discard: rest.includes("--discard") };
}

const text = (description: string): object => ({ type: "string", description });

function createEnterWorktree(visits: Visits): AgentTool<{ readonly name?: string | undefined }> {
  return {
    name: "EnterWorktree",
    description:
      "Makes a git worktree of the project with a branch of its own and goes there, so that work in it does not disturb the project's folder. With the name of a worktree that was kept it goes there again.",
    inputSchema: {
      type: "object",
      properties: { name: text("Letters, digits, - _ and dots; one is made up if left out.") },
      additionalProperties: false,
    },
    async run({ name }, context) {
      const { worktree, isNew } = await visits.enter(name, visitorOf(context));
      context.moveTo(worktree.folder);
      const branch = worktree.madeBy === "git" ? { worktreeBranch: branchOf(worktree.name) } : {};
      return { response: { worktreePath: worktree.folder, ...branch, isNew }, text: enteredText(worktree, isNew) };
    },
  };
}

function createExitWorktree(visits: Visits): AgentTool<LeaveInput> {
  return {
    name: "ExitWorktree",
    description:
      "Leaves the worktree and goes back to where you were. keep leaves it as it is; remove deletes it with its branch, unless work would be lost: then it says what, and discard must be true as well. Only discard what the user agreed to lose.",
    inputSchema: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["keep", "remove"] },
        name: text("Which one; the one you are in if left out."),
        discard: { type: "boolean", description: "Remove it although work is lost." },
      },
      required: ["action"],
      additionalProperties: false,
    },
    async run(input, context) {
      const left = await visits.leave(input, visitorOf(context));
      if (left.backTo !== undefined) context.moveTo(left.backTo);
      const response = { action: input.action, worktreePath: left.worktree.folder, originalCwd: left.backTo ?? context.cwd };
      return { response, text: leftText(input.action, left) };
    },
  };
}

function visitorOf({ agentId, agentType, cwd, signal }: ToolContext): Visitor {
  return { id: agentId ?? "", cwd, fields: { cwd, ...agentFields({ agentId, agentType }) }, signal };
}

function enteredText({ name, folder, madeBy }: Worktree, isNew: boolean): string {
  const branch = madeBy === "git" ? `, on the branch ${branchOf(name)}` : "";
  return isNew
    ? `The worktree ${name} was made. The folder is ${folder} now${branch}.`
    : `Back in the worktree ${name}. The folder is ${folder} now.`;
}

function leftText(action: "keep" | "remove", { worktree, backTo, note }: Left): string {
  const done =
    action === "keep" ? `The worktree ${worktree.name} was kept: ${worktree.folder}.` : `The worktree ${worktree.name} was removed.`;
  const place = backTo === undefined ? "" : `The folder is ${backTo} now.`;
  return [done, note, place].filter(Boolean).join(" ");
}

export interface Left {
  readonly worktree: Worktree;
  /** Where the agent goes; absent: it was somewhere else anyway. */
  readonly backTo: string | undefined;
  readonly note: string;
}

/** Which agent is in which worktree: the way in and the way out. */
export interface Visits {
  readonly occupied: readonly Occupancy[];
  occupancyOf(id: string): Occupancy | undefined;
  /** Throws a `ToolFailure` if it cannot be; nothing has changed then. */
  enter(name: string | undefined, visitor: Visitor): Promise<{ readonly worktree: Worktree; readonly isNew: boolean }>;
  leave(input: LeaveInput, visitor: Visitor): Promise<Left>;
}

const MAIN = "";

export function createVisits(core: AgentCore, env: GitOptions["env"]): Visits {
  const occupied = new Map<string, Occupancy>();
  /** Made by hooks, by name: git does not know them. */
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
    const occupancy = occupied.get(visitor.id);
    const isIn = occupancy?.worktree.name === wanted;
    const worktree = isIn ? occupancy.worktree : await find(wanted, visitor);
    if (!worktree) throw new ToolFailure(`There is no worktree "${wanted}".`);
    const ids = [...occupied].filter(([, one]) => one.worktree.folder === worktree.folder).map(([id]) => id);
    // The main agent knows whom it has started, and which of them are done.
    if (visitor.id !== MAIN && ids.some((id) => id !== visitor.id)) {
      throw new ToolFailure(`Another agent works in the worktree ${wanted}. Leave it, and let the main agent remove it.`);
    }
    const note = await removeWorktree(core, { worktree, isDiscarding, visitor }, optionsFor(visitor));
    ofHooks.delete(wanted);
    for (const id of ids) occupied.delete(id);
    return { worktree, backTo: isIn ? placeBefore(occupancy, core.root) : undefined, note };
  };

  const enter: Visits["enter"] = async (given, visitor) => {
    const current = occupied.get(visitor.id);
    if (current) throw new ToolFailure(`You are in the worktree ${current.worktree.name} already. Leave it first.`);
    const name = checked(given ?? newName());
    const existing = await find(name, visitor);
    const worktree = existing ?? (await createWorktree(core, name, visitor, optionsFor(visitor)));
    if (worktree.madeBy === "hook") ofHooks.set(name, worktree);
    occupied.set(visitor.id, { worktree, from: visitor.cwd });
    return { worktree, isNew: !existing };
  };

  const leave: Visits["leave"] = async ({ action, name, discard = false }, visitor) => {
    const occupancy = occupied.get(visitor.id);
    const wanted = checked(name ?? occupancy?.worktree.name ?? nowhere());
    if (action === "remove") return await remove(wanted, discard, visitor);
    if (!occupancy || occupancy.worktree.name !== wanted)
      throw new ToolFailure(`You are not in the worktree ${wanted}; it stays as it is.`);
    occupied.delete(visitor.id);
    return { worktree: occupancy.worktree, backTo: placeBefore(occupancy, core.root), note: "" };
  };

  const inTurn = createTurns();
  return {
    get occupied() {
      return [...occupied.values()];
    },
    occupancyOf: (id) => occupied.get(id),
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

function placeBefore({ from }: Occupancy, root: string): string {
  return existsSync(from) ? from : root;
}

/** The worktree of this name that git already has; nothing if there is none. Something else in its place is not touched. */
async function existingWorktree(name: string, options: GitOptions): Promise<Worktree | undefined> {
  const folder = folderOf(options.root, name);
  if (!existsSync(folder)) return undefined;
  const isOwn = isReallyInside(options.root, folder) && (await ownGitDir(folder, options));
  if (isOwn) return { name, folder, madeBy: "git", isAdded: false };
  throw new ToolFailure(`${folder} exists, and is no worktree of this repository. Choose another name.`);
}

/** WorktreeCreate: hooks may refuse it, or make it and say where; otherwise git does. */
async function createWorktree(core: AgentCore, name: string, visitor: Visitor, options: GitOptions): Promise<Worktree> {
  const input = { ...visitor.fields, name };
  const verdict = await core.fire("WorktreeCreate", input, visitor.signal);
  throwIfRefused(verdict, input);
  if (visitor.signal.aborted) throw new ToolFailure("It was interrupted; there is no worktree.");
  const given = verdict.fields["worktreePath"];
  if (typeof given === "string") return addToWorkspace(core, name, hookFolder(given, options.root));
  makeParent(options.root);
  const folder = folderOf(options.root, name);
  await git(["worktree", "add", "--no-track", "-b", branchOf(name), folder, "HEAD"], options);
  return { name, folder, madeBy: "git", isAdded: false };
}

function addToWorkspace(core: AgentCore, name: string, folder: string): Worktree {
  const isAdded = ![core.root, ...core.permissions.directories].some((one) => isReallyInside(one, folder));
  if (isAdded) changeDirectories(core, "addDirectories", folder);
  return { name, folder, madeBy: "hook", isAdded };
}

interface Removal {
  readonly worktree: Worktree;
  readonly isDiscarding: boolean;
  readonly visitor: Visitor;
}

/** Refuses to lose work unless told to; then WorktreeRemove, and git. Gives what else there is to say. */
async function removeWorktree(core: AgentCore, { worktree, isDiscarding, visitor }: Removal, options: GitOptions): Promise<string> {
  const { folder } = worktree;
  const own = await ownGitDir(folder, options);
  const unsaved = own && (await unsavedWork(own, options));
  if (!own && worktree.madeBy === "git" && existsSync(folder)) throw new ToolFailure(strayText(folder));
  if (!isDiscarding) refuseLoss(worktree, unsaved);
  await core.fire("WorktreeRemove", { ...visitor.fields, worktree_path: folder }, visitor.signal);
  if (own && existsSync(folder)) await removeFolder(own, isDiscarding, options);
  if (unsaved) await removeBranch(worktree, unsaved, options);
  if (worktree.isAdded) changeDirectories(core, "removeDirectories", folder);
  return existsSync(folder) ? `${folder} is still there: the hook that made it has to remove it, on WorktreeRemove.` : "";
}

/** git looks once more whether work would be lost, and must not be led astray then either. */
async function removeFolder({ folder, commonDir }: OwnGitDir, isDiscarding: boolean, options: GitOptions): Promise<void> {
  await git(["worktree", "remove", ...(isDiscarding ? ["--force"] : []), folder], options, { GIT_COMMON_DIR: commonDir });
}

function refuseLoss({ name, folder }: Worktree, unsaved: UnsavedWork | undefined): void {
  const cure = "Commit and push it, keep the worktree, or say discard if the user wants to lose it.";
  if (!unsaved) {
    if (!existsSync(folder)) return;
    throw new ToolFailure(`${folder} is no git worktree of this project, so whether work would be lost cannot be seen. ${cure}`);
  }
  const text = unsavedText(unsaved);
  if (text !== "") throw new ToolFailure(`The worktree ${name} is not removed; this would be lost:\n${text}\n${cure}`);
}

function strayText(folder: string): string {
  return `The .git file in ${folder} does not lead to this repository any more, so it is not touched. Look at it by hand.`;
}

/** The branch that was made for it; not if it has moved on since it was looked at. */
async function removeBranch({ name, madeBy }: Worktree, { head }: UnsavedWork, options: GitOptions): Promise<void> {
  if (madeBy !== "git") return;
  const ref = `refs/heads/${branchOf(name)}`;
  const exists = (await git(["for-each-ref", "--format=%(objectname)", ref], options)).trim();
  if (exists === head) await git(["update-ref", "-d", ref, head], options);
}

function folderOf(root: string, name: string): string {
  return path.join(root, ".claude", "worktrees", name);
}

/** Makes the folder of worktrees; git does not see them as new files of the project. */
function makeParent(root: string): void {
  const parent = path.dirname(folderOf(root, "any"));
  // SECURITY: `.claude` comes with the project, and may be a link to anywhere.
  if (!isReallyInside(root, parent)) {
    throw new ToolFailure(`${parent} leads out of the project. Remove the link, or let a WorktreeCreate hook choose the place.`);
  }
  makeFolders(parent);
  try {
    // SECURITY: only if nothing has that name: a link to nothing would have the file made where it leads.
    writeFileSync(path.join(parent, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function hookFolder(given: string, root: string): string {
  const folder = path.resolve(root, given);
  if (!isFolder(folder)) {
    throw new ToolFailure(
      `A WorktreeCreate hook named ${JSON.stringify(given)}, but there is no such folder. Its last line must be the path.`,
    );
  }
  // SECURITY: the folder becomes part of the workspace; one that holds the project would bring along everything around it.
  if (isReallyInside(folder, root)) throw new ToolFailure(`A WorktreeCreate hook named ${folder}, which is or holds the project itself.`);
  return folder;
}

function isReallyInside(outer: string, inner: string): boolean {
  return isInside(realTarget(outer, { cwd: "/" }).path, realTarget(inner, { cwd: "/" }).path);
}

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

export function branchOf(name: string): string {
  return `worktree-${name}`;
}

export type { GitOptions } from "../../run/index.ts";

/** What git printed. Throws a `ToolFailure` with git's own words. */
export async function git(...given: Parameters<typeof runGit>): Promise<string> {
  try {
    return await runGit(...given);
  } catch (thrown) {
    throw thrown instanceof GitFailure ? new ToolFailure(thrown.message) : thrown;
  }
}

export interface OwnGitDir {
  readonly folder: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/**
 * SECURITY: a folder's `.git` is a file that may be hostile, and git would follow it into any repository and run what that
 * one's configuration says. It is used only if it leads to a worktree of the project's own repository, and that leads back.
 */
export async function ownGitDir(folder: string, options: GitOptions): Promise<OwnGitDir | undefined> {
  try {
    const commonDir = realpathSync(path.resolve(options.root, (await git(["rev-parse", "--git-common-dir"], options)).trim()));
    const found = ownGitFolders(folder);
    const isOwn = found.kind === "own" && found.commonDir === commonDir && path.dirname(found.gitDir) === path.join(commonDir, "worktrees");
    return isOwn ? { folder, gitDir: found.gitDir, commonDir } : undefined;
  } catch {
    // No repository, or one that is not used: either way there is no worktree of ours.
    return undefined;
  }
}

/** git in that worktree, whatever the files in it say about where its repository is. */
export async function gitIn({ folder, gitDir, commonDir }: OwnGitDir, args: readonly string[], options: GitOptions): Promise<string> {
  const place = { GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: folder };
  return await git(["-C", folder, ...args], options, place);
}

export interface UnsavedWork {
  /** Lines of `git status --porcelain`. */
  readonly files: readonly string[];
  /** Commits that are on no other branch, remote or tag. */
  readonly commits: readonly string[];
  readonly head: string;
}

const MOST_SHOWN = 20;

export async function unsavedWork(own: OwnGitDir, options: GitOptions): Promise<UnsavedWork> {
  const head = (await gitIn(own, ["rev-parse", "HEAD"], options)).trim();
  const branch = (await gitIn(own, ["branch", "--show-current"], options)).trim();
  // SECURITY: git would look into submodules with their own configuration, or wherever their `.git` leads. It refuses to remove a worktree that has any.
  const submodules = options.isTrusted ? "dirty" : "all";
  const files = lines(
    await gitIn(own, ["status", "--porcelain", "--untracked-files=normal", `--ignore-submodules=${submodules}`], options),
  );
  const others = [...(branch === "" ? [] : [`--exclude=${branch}`]), "--branches", "--remotes", "--tags"];
  const commits = lines(await gitIn(own, ["rev-list", "--oneline", head, "--not", ...others], options));
  return { files, commits, head };
}

export function unsavedText({ files, commits }: UnsavedWork): string {
  return [part("Not committed", files), part("Commits that are nowhere else", commits)].filter(Boolean).join("\n");
}

function part(title: string, items: readonly string[]): string {
  if (items.length === 0) return "";
  const rest = items.length > MOST_SHOWN ? [`  … and ${items.length - MOST_SHOWN} more`] : [];
  return [`${title}:`, ...items.slice(0, MOST_SHOWN).map((item) => `  ${visibleLine(item)}`), ...rest].join("\n");
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
