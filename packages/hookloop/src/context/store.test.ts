import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import * as context from "./index.ts";
import { emptyProject, onAnotherMachine } from "./project.test-suite.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function begun(about = "Write a parser for dates"): Promise<{ root: string; id: string; file: string }> {
  const root = emptyProject();
  const { id } = await context.createContext({ about, projectRoot: root });
  return { root, id, file: path.join(context.getContextDir(root, id), "state.json") };
}

const json = (file: string): Record<string, unknown> => JSON.parse(readFileSync(file, "utf8"));
const indexOf = (root: string): Record<string, unknown> =>
  json(path.join(context.getContextDir(root), "index.json"))["contexts"] as Record<string, unknown>;
const mode = (root: string, id: string): context.Mode | undefined => context.readState(id, root)?.mode;

test("createContext makes a folder with an idle state.json, and an id from the words of the prompt", async () => {
  const { root, id, file } = await begun("Please fix the login of the admin page!\nIt is for you.");
  expect(id).toBe("fix-login-admin-page");
  expect(file).toBe(path.join(root, ".hookloop/contexts/fix-login-admin-page/state.json"));
  expect(json(file)).toMatchObject({ id, mode: "idle", title: "Please fix the login of the admin page!", tasks: [], sessions: [] });
  expect((await context.createContext({ about: "fix login admin page", projectRoot: root })).id).toBe(`${id}-2`);
});

test("twenty contexts that are begun at once with the same words are twenty", async () => {
  const root = emptyProject();
  const made = await Promise.all(Array.from({ length: 20 }, () => context.createContext({ about: "same words", projectRoot: root })));
  expect(new Set(made.map(({ id }) => id)).size).toBe(20);
  expect(Object.keys(indexOf(root))).toHaveLength(20);
});

test("index.json has every context with its title, mode and sessions", async () => {
  const { root, id } = await begun();
  await context.bindSession(id, "s1", root);
  expect(indexOf(root)).toEqual({ [id]: { title: "Write a parser for dates", mode: "idle", isClosed: false, sessions: ["s1"] } });
});

test("bindSession binds a session to one context, and getContextBySessionId finds it", async () => {
  const { root, id } = await begun();
  const other = await context.createContext({ about: "other work", projectRoot: root, sessionId: "s1" });
  expect((await context.getContextBySessionId("s1", root))?.id).toBe(other.id);
  await context.bindSession(id, "s1", root);
  expect((await context.getContextBySessionId("s1", root))?.id).toBe(id);
  expect(context.readState(other.id, root)?.sessions).toEqual([]);
  expect(await context.getContextBySessionId("s2", root)).toBeUndefined();
});

test.each(["idle", "has_plan", "has_handoff"] as const)("maybeActivate makes %s active, and notes the permission mode", async (from) => {
  const { root, id } = await begun();
  await context.saveState(id, (state) => ({ ...state, mode: from }), root);
  expect(await context.maybeActivate(id, "acceptEdits", root, "a-hook")).toMatchObject({ mode: "active", permissionMode: "acceptEdits" });
  expect(context.readState(id, root)).toMatchObject({ mode: "active", permissionMode: "acceptEdits" });
});

test("maybeActivate writes nothing where nothing changes, and says nothing of what is not there or closed", async () => {
  const { root, id } = await begun();
  await context.maybeActivate(id, "default", root, "a-hook");
  const { revision } = context.readState(id, root) ?? {};
  await context.maybeActivate(id, "default", root, "a-hook");
  expect(context.readState(id, root)?.revision).toBe(revision);
  expect(await context.maybeActivate("nothing", "default", root, "a-hook")).toBeUndefined();
  expect(await context.maybeActivate("../..", "default", root, "a-hook")).toBeUndefined();
  await context.closeContext(id, root);
  expect(await context.maybeActivate(id, "default", root, "a-hook")).toBeUndefined();
});

test("a session's end leaves an active context has_plan, has_handoff if one waits, and any other as it is", async () => {
  const { root, id } = await begun();
  const end = async (): Promise<string> => (await context.stageContext(id, root, "session_end")).mode;
  expect(await end()).toBe("idle");
  await context.maybeActivate(id, "default", root, "a-hook");
  expect(await end()).toBe("active");
  await context.archivePlan(id, "# A plan", root);
  expect(await end()).toBe("has_plan");
  expect(await end()).toBe("has_plan");
  await context.maybeActivate(id, "default", root, "a-hook");
  await context.saveHandoff(id, "# Hand-off: dates", root);
  expect(await end()).toBe("has_handoff");
  await context.maybeActivate(id, "default", root, "a-hook");
  await context.takeHandoff(id, root);
  expect(await end()).toBe("has_plan");
});

test.each([
  ["none", "idle"],
  ["planning", "active"],
  ["implementing", "active"],
  ["pending_implementation", "has_plan"],
  ["handoff_pending", "has_handoff"],
])("the old mode %s is read as %s, and written so with the next save", async (old, now) => {
  const { root, id, file } = await begun();
  writeFileSync(file, JSON.stringify({ ...json(file), mode: old }));
  expect(mode(root, id)).toBe(now);
  await context.addTask(id, { subject: "A task" }, root);
  expect(json(file)["mode"]).toBe(now);
});

test.each([
  ["torn", '{"version": 1, "id": "write-pars'],
  ["empty", ""],
  ["of another context", '{"id": "other", "mode": "idle"}'],
  ["of a later version", '{"id": "write-parser-dates", "mode": "idle", "version": 9}'],
  ["with an unknown mode", '{"id": "write-parser-dates", "mode": "toString"}'],
  ["larger than MAX_FILE_SIZE", "x".repeat(context.MAX_FILE_SIZE + 1)],
])("a state.json that is %s is kept aside and rebuilt from the index and the folder, and that is said", async (_, text) => {
  const { root, id, file } = await begun();
  await context.bindSession(id, "s1", root);
  await context.archivePlan(id, "# The plan", root);
  await context.saveState(id, (state) => ({ ...state, mode: "has_plan" }), root);
  writeFileSync(file, text);
  const found = await context.getContextBySessionId("s1", root);
  expect(found).toMatchObject({
    id,
    title: "Write a parser for dates",
    mode: "has_plan",
    plan: { hash: context.computePlanHash("# The plan") },
  });
  expect(context.formatContextSummary(found ?? expect.fail())).toContain("Note: state.json could not be read");
  expect(readFileSync(file, "utf8")).toBe(text);
  await context.addTask(id, { subject: "Goes on" }, root);
  const aside = readdirSync(path.dirname(file)).filter((name) => name.startsWith("state.json.broken-"));
  expect(aside.map((name) => readFileSync(path.join(path.dirname(file), name), "utf8"))).toEqual([text]);
  expect(json(file)).toMatchObject({ mode: "has_plan", sessions: ["s1"], repair: expect.stringContaining("its tasks are lost") });
});

test.each<[string, (root: string, id: string) => void]>([
  ["is missing", (root) => rmSync(path.join(context.getContextDir(root), "index.json"))],
  ["is torn", (root) => writeFileSync(path.join(context.getContextDir(root), "index.json"), '{"contexts": {')],
  ["says nothing of the context", (root) => writeFileSync(path.join(context.getContextDir(root), "index.json"), '{"contexts": {}}')],
  [
    "names a context that is gone",
    (root) =>
      writeFileSync(path.join(context.getContextDir(root), "index.json"), '{"contexts": {"gone": {"mode": "idle", "sessions": ["s1"]}}}'),
  ],
])("an index that %s is made again from the folders", async (_, damage) => {
  const { root, id } = await begun();
  await context.bindSession(id, "s1", root);
  damage(root, id);
  expect((await context.getContextBySessionId("s1", root))?.id).toBe(id);
  await context.listContexts(root);
  expect(indexOf(root)).toEqual({ [id]: expect.objectContaining({ sessions: ["s1"] }) });
});

test("a folder that was removed or renamed by hand is what holds", async () => {
  const { root, id } = await begun();
  renameSync(context.getContextDir(root, id), context.getContextDir(root, "new-name"));
  expect((await context.listContexts(root)).map((one) => one.id)).toEqual(["new-name"]);
  expect(Object.keys(indexOf(root))).toEqual(["new-name"]);
});

test("saveState refuses a whole state that somebody has changed since it was read", async () => {
  const { root, id } = await begun();
  const read = context.readState(id, root) ?? expect.fail();
  expect((await context.saveState(id, { ...read, title: "First" }, root)).title).toBe("First");
  await expect(context.saveState(id, { ...read, title: "Second" }, root)).rejects.toThrow(
    /was changed since it was read \(revision 1, now 2\)/,
  );
  expect(context.readState(id, root)?.title).toBe("First");
});

test("sixteen saves at once in one process lose nothing", async () => {
  const { root, id } = await begun();
  await Promise.all(Array.from({ length: 16 }, (_, at) => context.addTask(id, { subject: `Task ${at}` }, root)));
  expect(new Set(context.getTasks(id, root).map((task) => task.id)).size).toBe(16);
});

test("a clock that is set back does not make a context older, and changes no order of saves", async () => {
  const { root, id } = await begun();
  const before = context.readState(id, root) ?? expect.fail();
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-01-01") });
  await context.addTask(id, { subject: "Later" }, root);
  const after = context.readState(id, root) ?? expect.fail();
  expect(after.updatedAt).toBe(before.updatedAt);
  expect(after.revision).toBe(before.revision + 1);
  const files = [await context.archivePlan(id, "# One", root), await context.archivePlan(id, "# Two", root)];
  expect(files.map(({ file }) => file)).toEqual(["plans/0001-one.md", "plans/0002-two.md"]);
});

test("a state that would be larger than MAX_FILE_SIZE is refused, and the old one stays", async () => {
  const { root, id, file } = await begun();
  const before = readFileSync(file, "utf8");
  const huge = "x".repeat(context.MAX_FILE_SIZE);
  await expect(context.addTask(id, { subject: "Huge", description: huge }, root)).rejects.toThrow(/more than the 1048576/);
  await expect(context.archivePlan(id, huge, root)).rejects.toThrow(/more than the 1048576/);
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("writeState writes what readState reads", async () => {
  const { root, id } = await begun();
  const state = { ...(context.readState(id, root) ?? expect.fail()), title: "Written" };
  context.writeState(state, root);
  expect(context.readState(id, root)).toEqual(state);
  expect(context.readState("nothing", root)).toBeUndefined();
});

test("atomicWriteFileSync makes the folders, replaces the file whole and leaves nothing beside it", () => {
  const root = emptyProject();
  const file = path.join(root, "a/b/c.txt");
  context.atomicWriteFileSync(file, "one");
  context.atomicWriteFileSync(file, "two");
  expect(readFileSync(file, "utf8")).toBe("two");
  expect(readdirSync(path.dirname(file))).toEqual(["c.txt"]);
  expect(() => context.atomicWriteFileSync(file, Buffer.alloc(context.MAX_FILE_SIZE + 1))).toThrow(/is not written/);
  expect(readFileSync(file, "utf8")).toBe("two");
});

test("getProjectRoot is CLAUDE_PROJECT_DIR if that is absolute, and else the repository around the folder", () => {
  const root = emptyProject();
  mkdirSync(path.join(root, ".git"));
  mkdirSync(path.join(root, "deep/er"), { recursive: true });
  expect(context.getProjectRoot(path.join(root, "deep/er"))).toBe(root);
  vi.stubEnv("CLAUDE_PROJECT_DIR", "relative");
  expect(context.getProjectRoot(path.join(root, "deep/er"))).toBe(root);
  vi.stubEnv("CLAUDE_PROJECT_DIR", "/elsewhere");
  expect(context.getProjectRoot(root)).toBe("/elsewhere");
});

test("getContextDir is below .hookloop/contexts, and no id leads out of it", () => {
  expect(context.getContextDir("/p")).toBe("/p/.hookloop/contexts");
  expect(context.getContextDir("/p", "my-work")).toBe("/p/.hookloop/contexts/my-work");
  for (const id of ["..", "a/b", "../a", "", ".hidden", "A", "a\0"]) expect(() => context.getContextDir("/p", id)).toThrow(/is not the id/);
});

test.each([".hookloop", ".hookloop/contexts", ".hookloop/contexts/write-parser-dates"])(
  "where %s is a link, nothing is read or written through it",
  async (link) => {
    const { root, id, file } = await begun();
    const outside = path.join(root, "..", "outside");
    renameSync(path.join(root, link), outside);
    symlinkSync(outside, path.join(root, link));
    const before = readFileSync(file, "utf8");
    await expect(context.addTask(id, { subject: "Task" }, root)).rejects.toThrow(/is a link/);
    expect(context.readState(id, root)?.revision).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(before);
  },
);

test("what this machine wrote is known as its own; on another machine, and after an edit by hand, it is not", async () => {
  const { root, id, file } = await begun();
  await context.addTask(id, { subject: "Task" }, root);
  expect(context.isOwnContext(id, root)).toBe(true);
  expect(context.isOwnText(root, file, "other words")).toBe(false);
  const state = process.env["XDG_STATE_HOME"];
  onAnotherMachine(root);
  expect(context.isOwnContext(id, root)).toBe(false);
  await context.addTask(id, { subject: "Task of this machine" }, root);
  // What the clone said is still in it.
  expect(context.isOwnContext(id, root)).toBe(false);
  await context.adoptContext(id, root);
  expect(context.isOwnContext(id, root)).toBe(true);
  await context.addTask(id, { subject: "And more" }, root);
  expect(context.isOwnContext(id, root)).toBe(true);
  vi.stubEnv("XDG_STATE_HOME", state);
  expect(context.isOwnContext(id, root)).toBe(false);
});

test("a state folder that cannot be written costs nothing but that", async () => {
  const root = emptyProject();
  writeFileSync(path.join(root, "..", "a-file"), "");
  vi.stubEnv("XDG_STATE_HOME", path.join(root, "..", "a-file"));
  const { id } = await context.createContext({ about: "Some work", projectRoot: root });
  expect(existsSync(path.join(context.getContextDir(root, id), "state.json"))).toBe(true);
  expect(context.isOwnContext(id, root)).toBe(false);
});

test("closeContext keeps a context and takes its sessions away; binding one opens it again", async () => {
  const { root, id } = await begun();
  await context.bindSession(id, "s1", root);
  await context.closeContext(id, root);
  expect(await context.getContextBySessionId("s1", root)).toBeUndefined();
  expect(context.readState(id, root)).toMatchObject({ isClosed: true, mode: "idle", sessions: [] });
  expect(await context.bindSession(id, "s1", root)).toMatchObject({ isClosed: false, sessions: ["s1"] });
});

test("slugify gives lower case and hyphens, cut between words", () => {
  expect(context.slugify("Ünïcode & Ça: don't  STOP!")).toBe("unicode-ca-dont-stop");
  expect(context.slugify("one two three", 9)).toBe("one-two");
  expect(context.slugify("x".repeat(90))).toBe("x".repeat(50));
  expect(context.slugify("日本 …")).toBe("");
});

test("generateContextId leaves stop words out, takes no id twice, and has a digest for other scripts", () => {
  expect(context.generateContextId("Could you please add dark mode to the settings page, and to its footer?")).toBe(
    "add-dark-mode-settings-page",
  );
  expect(context.generateContextId("add dark mode", ["add-dark-mode", "add-dark-mode-2"])).toBe("add-dark-mode-3");
  expect(context.generateContextId("what is it")).toBe("what-is-it");
  expect(context.generateContextId("日本語のページ")).toMatch(/^context-[0-9a-f]{8}$/);
});

test("nowIso is the time in ISO 8601", () => {
  expect(context.nowIso()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});
