import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { modelTexts } from "../judge/index.ts";
import { type FlowLab, openFlowLab } from "./flow-lab.test-suite.ts";

async function said({ hooks }: FlowLab, source = "startup"): Promise<string> {
  const input = { source, model: "m" };
  return modelTexts({ verdict: await hooks.fire("SessionStart", input), input }).join("\n");
}

function git({ project }: FlowLab, ...args: readonly string[]): void {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  execFileSync("git", [...who, ...args], {
    cwd: project,
    stdio: "ignore",
    env: { PATH: process.env["PATH"], HOME: path.join(project, "../home") },
  });
}

test("the branch, what is not committed and the last commits", async () => {
  const lab = await openFlowLab([{ name: "git-context", commits: 2, files: 3 }], { "a.txt": "a" });
  git(lab, "init", "-q", "-b", "main");
  expect(await said(lab)).toMatch(/Branch: \(no commits yet\) main\nNot committed: 1 file\n {2}\?\? a\.txt$/);
  git(lab, "add", ".");
  for (const message of ["first", "second", "third"]) git(lab, "commit", "-q", "--allow-empty", "-m", message);
  expect(await said(lab, "compact")).toMatch(
    /Branch: main\nEverything is committed\.\nLast commits:\n {2}\w{7} \d{4}-\d\d-\d\d third\n {2}\w{7} \S+ second$/,
  );
  for (const name of ["b", "c", "d", "e", "f"]) lab.write(name, "");
  expect(await said(lab)).toMatch(/Not committed: 5 files\n {2}\?\? b\n {2}\?\? c\n {2}\?\? d\n {2}… and 2 more/);
});

test("a long history and many long names stay short", async () => {
  const lab = await openFlowLab(["git-context"]);
  git(lab, "init", "-q");
  for (let index = 0; index < 300; index++) lab.write(`${"n".repeat(200)}${index}`, "");
  git(lab, "commit", "-q", "--allow-empty", "-m", "m".repeat(10_000));
  expect((await said(lab)).length).toBeLessThan(6000);
});

test("where there is no repository nothing is said, also if the home is one", async () => {
  const dotfiles = await openFlowLab(["git-context"], {}, { trust: "store" });
  git({ ...dotfiles, project: path.join(dotfiles.project, "../home") }, "init", "-q");
  expect([await said(dotfiles), dotfiles.diagnostics]).toEqual(["", []]);
  const lab = await openFlowLab(["git-context"]);
  expect(await said(lab)).toBe("");
  expect(lab.diagnostics).toEqual([]);
});

test("without git, or with a broken repository, the session starts, and the user is told once", async () => {
  const lab = await openFlowLab(["git-context"], { ".git/HEAD": "x" }, { ports: { env: { PATH: "/nowhere" } } });
  expect([await said(lab), await said(lab)]).toEqual(["", ""]);
  expect(lab.diagnostics.map(({ code, text }) => [code, text])).toEqual([
    ["HL_EXECUTE_SHIPPED_IDLE", expect.stringContaining("git-context: git was not found in PATH")],
  ]);
  const broken = await openFlowLab(["git-context"], { ".git/HEAD": "x" });
  expect(await said(broken)).toBe("");
  expect(broken.diagnostics.map(({ code }) => code)).toEqual(["HL_EXECUTE_SHIPPED_IDLE"]);
});

test("before trust nothing that the repository's configuration names is started", async () => {
  const lab = await openFlowLab(["git-context"], { "a.txt": "a" }, { trust: "store" });
  git(lab, "init", "-q", "-b", "main");
  git(lab, "add", ".");
  git(lab, "commit", "-q", "-m", "first");
  const evil = lab.write("evil.sh", "#!/bin/sh\ntouch ../started\n");
  for (const key of ["core.fsmonitor", "core.pager", "gpg.program", "filter.x.clean"]) git(lab, "config", key, evil);
  git(lab, "config", "log.showSignature", "true");
  lab.write(".gitattributes", "* filter=x\n");
  lab.write("a.txt", "b");
  expect(await said(lab)).toContain("Branch: main");
  expect(lab.read("../started")).toBeUndefined();
});
