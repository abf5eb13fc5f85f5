/** Worktrees through the real program and real git: who makes them, what hooks may refuse, and that no work gets lost. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type AgentLab, type Block, type Ended, hooksOn, type Json, lines, openAgentLab, RECORDER, say, use } from "./agent-lab.ts";

const enter = (name?: string): readonly Block[] => [use("EnterWorktree", name === undefined ? {} : { name })];
const leave = (action: string, more: Json = {}): readonly Block[] => [use("ExitWorktree", { action, ...more })];
const bash = (command: string): readonly Block[] => [use("Bash", { command })];
const ALLOW = ["--allowedTools", "EnterWorktree,ExitWorktree,Bash"];

function git(cwd: string, ...args: readonly string[]): string {
  const own = ["-c", "user.name=tester", "-c", "user.email=tester@example.invalid", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...own, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** A lab whose project is a repository with one commit. */
function openRepository(): AgentLab & { readonly tree: (name: string) => string } {
  const lab = openAgentLab();
  lab.write("project/a.txt", "one\n");
  git(lab.project, "init", "-q");
  git(lab.project, "add", "a.txt");
  git(lab.project, "commit", "-qm", "first");
  return { ...lab, tree: (name) => path.join(lab.project, ".claude/worktrees", name) };
}

async function run(
  lab: AgentLab,
  turns: readonly (readonly Block[])[],
  args: readonly string[] = ALLOW,
): Promise<Ended & { results: readonly string[] }> {
  const flags = [
    "-p",
    "go",
    "--script",
    lab.script([...turns, say("bye")]),
    "--trust-workspace",
    "--output-format",
    "stream-json",
    "--verbose",
  ];
  const end = await lab.play({ args: [...flags, ...args] });
  const messages = lines(end.stdout).flatMap((line) => (line["type"] === "user" ? [line["message"] as { content: readonly Json[] }] : []));
  const blocks = messages.flatMap(({ content }) => content).filter((block) => block["type"] === "tool_result");
  return { ...end, results: blocks.map(({ content }) => textOf(content)) };
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : (content as readonly { text: string }[]).map(({ text }) => text).join("\n");
}

const branches = (lab: AgentLab): readonly string[] => git(lab.project, "branch", "--format=%(refname:short)").split("\n");

test("the agent works in its own worktree and comes back; the project's folder is not disturbed", async () => {
  const lab = openRepository();
  lab.settings({ hooks: hooksOn(["WorktreeCreate", "CwdChanged", "WorktreeRemove"]) });
  const { results, exit, stderr } = await run(lab, [enter("fix"), bash("echo two > b.txt; pwd"), leave("keep"), bash("pwd")]);
  // With --verbose the hooks are watched there.
  expect([exit, lines(stderr.replaceAll(/^hooks .*\n/gm, ""))]).toEqual([0, []]);
  expect(results).toEqual([
    `The worktree fix was made. The folder is ${lab.tree("fix")} now, on the branch worktree-fix.`,
    lab.tree("fix"),
    `The worktree fix was kept: ${lab.tree("fix")}. The folder is ${lab.project} now.`,
    lab.project,
  ]);
  expect(readFileSync(path.join(lab.tree("fix"), "b.txt"), "utf8")).toBe("two\n");
  expect(existsSync(path.join(lab.project, "b.txt"))).toBe(false);
  expect(lab.recorded()).toMatchObject([
    { hook_event_name: "WorktreeCreate", name: "fix", cwd: lab.project },
    { hook_event_name: "CwdChanged", old_cwd: lab.project, new_cwd: lab.tree("fix") },
    { hook_event_name: "CwdChanged", old_cwd: lab.tree("fix"), new_cwd: lab.project },
  ]);
  expect(git(lab.project, "status", "--porcelain", "--untracked-files=all")).not.toContain("worktrees");
});

test("a name is made up if none is given; a kept worktree is entered again without being made again; the end says that it is kept", async () => {
  const lab = openRepository();
  lab.settings({ hooks: hooksOn(["WorktreeCreate"]) });
  const first = await run(lab, [enter()]);
  const [, name = ""] = /The worktree (work-[0-9a-f]{8}) was made/.exec(first.results[0] ?? "") ?? [];
  expect(first.stdout).toContain(`The worktree ${name} was kept: ${lab.tree(name)}`);
  const second = await run(lab, [enter(name), enter("other")]);
  expect(second.results).toEqual([
    `Back in the worktree ${name}. The folder is ${lab.tree(name)} now.`,
    `You are in the worktree ${name} already. Leave it first.`,
  ]);
  expect(lab.recorded()).toHaveLength(1);
});

test("WorktreeCreate: a hook that prints a path has made the worktree; it belongs to the workspace as long as it is there", async () => {
  const lab = openRepository();
  const outside = path.join(lab.base, "elsewhere");
  const make = `echo Preparing; git worktree add -q --detach ${outside} HEAD >&2; echo; echo ${outside}`;
  lab.settings({ hooks: { ...hooksOn(["WorktreeCreate"], make), ...hooksOn(["WorktreeRemove"]) } });
  const write = (name: string): readonly Block[] => [use("Write", { file_path: path.join(outside, name), content: "x" })];
  const turns = [enter("fix"), write("c.txt"), bash("cat c.txt"), leave("remove", { discard: true }), write("d.txt")];
  const { results } = await run(lab, turns, [...ALLOW, "--permission-mode", "acceptEdits"]);
  expect(results.slice(0, 4)).toEqual([
    `The worktree fix was made. The folder is ${outside} now.`,
    expect.stringContaining("c.txt"),
    "x",
    `The worktree fix was removed. The folder is ${lab.project} now.`,
  ]);
  expect(existsSync(outside)).toBe(false);
  expect(existsSync(lab.tree("fix"))).toBe(false);
  expect(lab.recorded()).toMatchObject([{ hook_event_name: "WorktreeRemove", worktree_path: outside }]);
});

test("an answer with worktreePath is used; a path that does not exist or holds the project is not", async () => {
  const lab = openRepository();
  mkdirSync(path.join(lab.base, "made"));
  const answers = { good: path.join(lab.base, "made"), none: path.join(lab.base, "nowhere"), around: lab.base, itself: "." };
  const answer = (given: string): string =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: "WorktreeCreate", worktreePath: given } });
  const cases = Object.entries(answers).map(([name, given]) => `*'"name":"${name}"'*) echo '${answer(given)}';;`);
  lab.settings({ hooks: hooksOn(["WorktreeCreate"], `case "$(cat)" in ${cases.join(" ")} esac`) });
  const { results } = await run(lab, [enter("none"), enter("around"), enter("itself"), enter("good"), leave("remove"), leave("keep")]);
  expect(results).toEqual([
    expect.stringContaining("there is no such folder"),
    expect.stringContaining("is or holds the project itself"),
    expect.stringContaining("is or holds the project itself"),
    `The worktree good was made. The folder is ${answers.good} now.`,
    expect.stringContaining("whether work would be lost cannot be seen"),
    `The worktree good was kept: ${answers.good}. The folder is ${lab.project} now.`,
  ]);
});

test.each([1, 2, 7])("WorktreeCreate: exit code %i fails the creation, and the agent stays where it is", async (code) => {
  const lab = openRepository();
  lab.settings({ hooks: hooksOn(["WorktreeCreate"], `echo "no room" >&2; echo ${lab.base}; exit ${code}`) });
  const { results, exit } = await run(lab, [enter("fix"), bash("pwd")]);
  expect(results).toEqual([expect.stringContaining("no room"), lab.project]);
  expect(exit).toBe(0);
  expect(existsSync(lab.tree("fix"))).toBe(false);
  expect(branches(lab)).toEqual(["main"]);
});

test("WorktreeCreate: a hook that exits 0 without a word leaves it to git; WorktreeRemove cannot refuse", async () => {
  const lab = openRepository();
  lab.settings({ hooks: { ...hooksOn(["WorktreeCreate"], "true"), ...hooksOn(["WorktreeRemove"], `${RECORDER}; exit 2`) } });
  const { results } = await run(lab, [enter("fix"), leave("remove"), bash("pwd")]);
  expect(results).toEqual([
    expect.stringContaining("was made"),
    `The worktree fix was removed. The folder is ${lab.project} now.`,
    lab.project,
  ]);
  expect(lab.recorded()).toMatchObject([{ worktree_path: lab.tree("fix"), cwd: lab.tree("fix") }]);
  expect(existsSync(lab.tree("fix"))).toBe(false);
  expect(branches(lab)).toEqual(["main"]);
});

test("names are checked on create, keep and remove: they are neither paths nor options", async () => {
  const lab = openRepository();
  lab.settings({ hooks: hooksOn(["WorktreeCreate", "WorktreeRemove"]) });
  const bad = ["../out", "a/b", "", ".hidden", "a..b", "-f", "a b", "a\nb", "x.lock", "x".repeat(65)];
  const turns = bad.flatMap((name) => [enter(name), leave("keep", { name }), leave("remove", { name, discard: true })]);
  const { results } = await run(lab, turns);
  expect(results).toHaveLength(bad.length * 3);
  for (const result of results) expect(result).toContain("is no name of a worktree");
  expect(lab.recorded()).toEqual([]);
});

test("what is not committed is listed and not removed; told to discard it, it is", async () => {
  const lab = openRepository();
  lab.settings({ hooks: hooksOn(["WorktreeRemove"]) });
  const turns = [enter("fix"), bash("echo new > new.txt; echo changed >> a.txt"), leave("remove"), bash("pwd; ls")];
  const { results } = await run(lab, turns);
  expect(results[2]).toMatch(/^The worktree fix is not removed; this would be lost:\nNot committed:\n {3}M a.txt\n {2}\?\? new.txt\n/);
  expect(results[3]).toBe(`${lab.tree("fix")}\na.txt\nnew.txt`);
  expect(lab.recorded()).toEqual([]);
  const { results: told } = await run(lab, [leave("remove", { name: "fix", discard: true })]);
  expect(told).toEqual(["The worktree fix was removed."]);
  expect(existsSync(lab.tree("fix"))).toBe(false);
  expect(lab.recorded()).toMatchObject([{ worktree_path: lab.tree("fix") }]);
});

test("a commit that is nowhere else is listed and not removed; once it is on another branch, the worktree goes", async () => {
  const lab = openRepository();
  const commit = "git -c user.name=t -c user.email=t@example.invalid commit -qam 'only here'";
  const turns = [enter("fix"), bash(`echo changed >> a.txt; ${commit}`), leave("remove")];
  const { results } = await run(lab, turns);
  expect(results[2]).toMatch(/Commits that are nowhere else:\n {2}[0-9a-f]+ only here\n/);
  expect(branches(lab)).toEqual(["main", "worktree-fix"]);
  git(lab.project, "branch", "saved", "worktree-fix");
  expect((await run(lab, [leave("remove", { name: "fix" })])).results).toEqual(["The worktree fix was removed."]);
  expect(branches(lab)).toEqual(["main", "saved"]);
});

test("/worktree does the same for the user, and the model is told", async () => {
  const lab = openRepository();
  lab.settings({ hooks: hooksOn(["CwdChanged"]) });
  const prompts = [
    "/worktree",
    "/worktree a/b",
    "/worktree fix",
    "go",
    "/worktree --remove",
    "/worktree --remove --discard",
    "/worktree --what",
  ];
  const input = prompts.map((content) => JSON.stringify({ type: "user", message: { role: "user", content } })).join("\n");
  const script = lab.script([bash("echo x > new.txt; pwd"), say("bye")]);
  const args = [
    "-p",
    "--script",
    script,
    "--trust-workspace",
    "--allowedTools",
    "Bash",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
  ];
  const { stdout } = await lab.run({ args, input });
  const said = lines(stdout).flatMap((line) => (line["type"] === "result" ? [line["result"]] : []));
  expect(said).toEqual([
    expect.stringContaining("The agent is in no worktree. Say /worktree NAME"),
    expect.stringContaining('"a/b" is no name of a worktree'),
    expect.stringContaining("The worktree fix was made"),
    "bye",
    expect.stringContaining("?? new.txt"),
    `The worktree fix was removed. The folder is ${lab.project} now.`,
    expect.stringContaining("Say /worktree NAME"),
  ]);
  expect(lab.recorded().map((payload) => payload["new_cwd"])).toEqual([lab.tree("fix"), lab.project]);
  expect(stdout).toContain(`"content":"${lab.tree("fix")}"`);
  const [transcript = ""] = lab.stateFiles("sessions");
  expect(readFileSync(transcript, "utf8")).toContain("The user did this: The worktree fix was made");
});

test("without a rule no worktree is made or removed", async () => {
  const lab = openRepository();
  const { results } = await run(lab, [enter("fix")], []);
  expect(results[0]).toMatch(/permission|EnterWorktree/);
  expect(existsSync(lab.tree("fix"))).toBe(false);
});

test("git runs no program of the repository: neither its hooks nor its file watcher", async () => {
  const lab = openRepository();
  const trap = lab.write("trap.sh", `#!/bin/sh\ntouch ${lab.base}/trapped\n`);
  lab.write("project/.git/hooks/post-checkout", `#!/bin/sh\ntouch ${lab.base}/trapped\n`);
  git(lab.project, "config", "core.fsmonitor", trap);
  const { results } = await run(lab, [enter("fix"), leave("remove")]);
  expect(results[1]).toContain("was removed");
  expect(existsSync(path.join(lab.base, "trapped"))).toBe(false);
});

test("a .git that leads to another repository is not followed", async () => {
  const lab = openRepository();
  const other = path.join(lab.base, "other");
  git(lab.base, "init", "-q", "other");
  git(other, "config", "filter.trap.clean", `touch ${lab.base}/trapped; cat`);
  // In a script: self-protection would not let the line itself write `.git`.
  const script = lab.write("astray.sh", `echo 'gitdir: ${other}/.git' > .git; echo '* filter=trap' > .gitattributes; echo x >> a.txt`);
  const turns = [enter("fix"), bash(`sh ${script}`), leave("remove")];
  const { results } = await run(lab, turns);
  for (const result of results.slice(2)) expect(result).toContain("does not lead to this repository any more");
  expect(existsSync(path.join(lab.base, "trapped"))).toBe(false);
  expect(existsSync(path.join(lab.tree("fix"), "a.txt"))).toBe(true);
});

test("a worktree's commondir that leads to another repository is not followed", async () => {
  const lab = openRepository();
  const other = path.join(lab.base, "other");
  git(lab.base, "init", "-q", "other");
  git(other, "config", "filter.trap.clean", `touch ${lab.base}/trapped; cat`);
  lab.write("other/.git/info/attributes", "* filter=trap\n");
  const lines = `echo ${other}/.git > ${lab.project}/.git/worktrees/fix/commondir; touch -d '1 hour ago' a.txt`;
  const script = lab.write("astray.sh", lines);
  const { results } = await run(lab, [enter("fix"), bash(`sh ${script}`), leave("remove")]);
  expect(results[2]).toContain("does not lead to this repository any more");
  expect(existsSync(path.join(lab.base, "trapped"))).toBe(false);
});

test("a copy of git's own notes about a worktree is not taken for them", async () => {
  const lab = openRepository();
  const fake = `cp -a ${lab.project}/.git/worktrees/fix ${lab.project}/fake; echo ${lab.project}/.git > ${lab.project}/fake/commondir`;
  const script = lab.write("astray.sh", `${fake}; echo 'gitdir: ${lab.project}/fake' > .git`);
  const { results } = await run(lab, [enter("fix"), bash(`sh ${script}`), leave("remove")]);
  expect(existsSync(path.join(lab.project, "fake/commondir"))).toBe(true);
  expect(results[2]).toContain("does not lead to this repository any more");
});

test("outside of a repository git's own words say why; a folder in the way and a link out of the project are left alone", async () => {
  const bare = openAgentLab();
  expect((await run(bare, [enter("fix")])).results[0]).toContain("not a git repository");
  const lab = openRepository();
  lab.write("project/.claude/worktrees/taken/precious.txt", "x");
  const { results } = await run(lab, [enter("taken"), leave("remove", { name: "taken", discard: true })]);
  for (const result of results) expect(result).toContain("is no worktree of this repository");
  expect(existsSync(path.join(lab.tree("taken"), "precious.txt"))).toBe(true);
  const linked = openRepository();
  mkdirSync(path.join(linked.base, "away"));
  symlinkSync(path.join(linked.base, "away"), path.join(linked.project, ".claude"));
  expect((await run(linked, [enter("fix")])).results[0]).toContain("leads out of the project");
});

test("a subagent has a worktree of its own; the main agent stays where it is, and may remove it afterwards", async () => {
  const lab = openRepository();
  lab.settings({ hooks: hooksOn(["WorktreeCreate", "CwdChanged"]) });
  const turns = [
    [use("Agent", { description: "look", prompt: "look" })],
    enter("own"),
    bash("touch mine; pwd"),
    say("seen"),
    bash("pwd"),
    leave("remove", { name: "own", discard: true }),
  ];
  const { results } = await run(lab, turns);
  expect(results).toEqual(expect.arrayContaining([lab.tree("own"), lab.project, "The worktree own was removed."]));
  expect(existsSync(lab.tree("own"))).toBe(false);
  expect(lab.recorded()).toMatchObject([
    { hook_event_name: "WorktreeCreate", agent_type: "general-purpose" },
    { hook_event_name: "CwdChanged", agent_type: "general-purpose", new_cwd: lab.tree("own") },
  ]);
});

test("two worktrees wanted in one answer: the agent is in the first, and there is no second", async () => {
  const lab = openRepository();
  const { results } = await run(lab, [[...enter("first"), ...enter("second")], bash("pwd")]);
  expect(results).toEqual([
    expect.stringContaining("The worktree first was made"),
    "You are in the worktree first already. Leave it first.",
    lab.tree("first"),
  ]);
  expect(existsSync(lab.tree("second"))).toBe(false);
});

test("a file that another program put into a kept worktree counts as well", async () => {
  const lab = openRepository();
  await run(lab, [enter("fix")]);
  writeFileSync(path.join(lab.tree("fix"), "late.txt"), "x");
  const { results } = await run(lab, [leave("remove", { name: "fix" })]);
  expect(results[0]).toContain("?? late.txt");
});
