import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { commands, openFeatureLab, RECORD, use } from "./feature-lab.test-suite.ts";

const hooks = { DirectoryAdded: commands(RECORD) };

test("/add-dir widens the workspace and tells hooks", async () => {
  const lab = await openFeatureLab({ hooks });
  const folder = path.join(lab.project, "..", "other");
  mkdirSync(folder);
  const { text } = await lab.submit("/add-dir ../other");
  expect(text).toContain(folder);
  expect(lab.permissions.directories).toEqual([folder]);
  expect(lab.recorded("DirectoryAdded")).toMatchObject([{ directory: folder, source: "slash_command", permission_mode: "default" }]);
  await lab.submit(`/add-dir ${folder}`);
  expect(lab.recorded("DirectoryAdded")).toHaveLength(1);
});

test("a folder that is not there, or none, is said and fires nothing", async () => {
  const lab = await openFeatureLab({ hooks });
  expect((await lab.submit("/add-dir ../nowhere")).text).toContain("There is no folder");
  expect((await lab.submit("/add-dir")).text).toContain("Say which folder");
  expect(lab.recorded("DirectoryAdded")).toEqual([]);
  expect(lab.permissions.directories).toEqual([]);
});

test("a folder of --add-dir is told when the session starts", async () => {
  const lab = await openFeatureLab({ hooks, agent: { directories: ["/usr/share"] } });
  expect(lab.recorded("DirectoryAdded")).toMatchObject([{ directory: "/usr/share", source: "register_repo_root" }]);
});

test("a hook cannot hold it back; what it says is only in the log", async () => {
  const lab = await openFeatureLab({ hooks: { DirectoryAdded: commands("exit 2") }, turns: [[use("Bash", { command: "true" })]] });
  mkdirSync(path.join(lab.project, "sub"));
  await lab.submit("/add-dir sub");
  expect(lab.permissions.directories).toEqual([path.join(lab.project, "sub")]);
});
