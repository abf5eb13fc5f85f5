import { linkSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { comparablePath, foldsCase, isInside, isStillTarget, realTarget } from "./real-target.ts";

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-paths-")));
  for (const folder of ["project/src", "secret/deep", "other"]) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, "secret/key"), "key");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const target = (path: string): ReturnType<typeof realTarget> => realTarget(path, { cwd: join(base, "project") });

describe("where a path leads", () => {
  test.each([
    ["a plain path", "src/a.ts", "project/src/a.ts"],
    ["..", "src/../../secret/key", "secret/key"],
    ["double slashes", "..//secret///key", "secret/key"],
    ["a trailing slash", "../secret/", "secret"],
    ["dots", "./src/./a", "project/src/a"],
    ["/proc/self/cwd", "/proc/self/cwd/src/a", "project/src/a"],
  ])("%s", (_, path, expected) => {
    expect(target(path).path).toBe(join(base, expected));
  });

  test.each(["/proc/self/root", "/proc/1/root", "/proc/self/task/1/root", "//proc/self/../self/root"])("%s is the root", (root) => {
    expect(target(`${root}${base}/secret/key`).path).toBe(join(base, "secret/key"));
  });

  test("through a linked folder, a linked file, a link to a link", () => {
    symlinkSync("../secret", join(base, "project/folder"));
    symlinkSync(join(base, "secret/key"), join(base, "project/file"));
    symlinkSync("folder", join(base, "project/again"));
    expect(target("folder/key")).toMatchObject({ path: join(base, "secret/key"), isLink: false, exists: true });
    expect(target("file")).toMatchObject({ path: join(base, "secret/key"), isLink: true, written: join(base, "project/file") });
    expect(target("again/key").path).toBe(join(base, "secret/key"));
  });

  test(".. after a link: the kernel's way and the way of programs that tidy the text first are both told", () => {
    symlinkSync(join(base, "secret/deep"), join(base, "project/link"));
    expect(target("link/../key")).toMatchObject({ path: join(base, "secret/key"), asText: join(base, "project/key") });
  });

  test("a hard link is known by its file", () => {
    linkSync(join(base, "secret/key"), join(base, "project/harmless"));
    const [one, two] = [target("harmless"), target("../secret/key")];
    expect(one).toMatchObject({ hasHardLinks: true, path: join(base, "project/harmless") });
    expect(one.identity).toBe(two.identity);
    writeFileSync(join(base, "project/single"), "");
    expect(target("single").hasHardLinks).toBe(false);
  });

  test("a path that does not exist is resolved by its deepest existing ancestor", () => {
    symlinkSync(join(base, "secret"), join(base, "project/link"));
    expect(target("link/new/deeper/file.txt")).toMatchObject({ path: join(base, "secret/new/deeper/file.txt"), exists: false });
    symlinkSync(join(base, "secret/not-yet"), join(base, "project/dangling"));
    expect(target("dangling")).toMatchObject({ path: join(base, "secret/not-yet"), isLink: true, exists: false });
  });

  test("NUL, a ring of links and a descriptor are said", () => {
    symlinkSync("b", join(base, "project/a"));
    symlinkSync("a", join(base, "project/b"));
    expect(target("a/x").problem).toBe("ring of links");
    expect(target("x\0.txt").problem).toBe("NUL");
    expect(target("/dev/fd/3").isDescriptor).toBe(true);
    expect(target("src").problem).toBeUndefined();
  });
});

describe("inside a folder", () => {
  test.each([
    ["/srv/app", "/srv/app", true],
    ["/srv/app", "/srv/app/x", true],
    ["/srv/app", "/srv/app2", false],
    ["/srv/app", "/srv/app2/x", false],
    ["/srv/app/", "/srv/app/x", true],
    ["/", "/x", true],
    ["/srv/app", "/srv", false],
  ])("%s holds %s: %s", (folder, path, expected) => {
    expect(isInside(folder, path, { foldsCase: () => false })).toBe(expected);
  });

  test.each([
    ["/App/.CLAUDE/Settings.JSON", "/app/.claude/settings.json"],
    ["/app/.g\u200cit", "/app/.git"],
    ["/app/caf\u00e9", "/app/cafe\u0301"],
    ["/app/.clau\u212ae".replace("\u212a", "d"), "/app/.claude"],
    ["/app/boo\u212a", "/app/book"],
    ["/app/\u017fecret", "/app/secret"],
  ])("%s is %s where case is folded, and not where it is not", (one, two) => {
    expect(comparablePath(one, { foldsCase: () => true })).toBe(comparablePath(two, { foldsCase: () => true }));
    if (one !== two) expect(comparablePath(one, { foldsCase: () => false })).not.toBe(comparablePath(two, { foldsCase: () => false }));
  });

  test("whether case is folded is found out on the disk", () => {
    writeFileSync(join(base, "project/probe"), "");
    let isSame = true;
    try {
      readFileSync(join(base, "project/PROBE"));
    } catch {
      // Case counts here.
      isSame = false;
    }
    expect(foldsCase(join(base, "project/none/yet"))).toBe(isSame);
  });
});

test("a link that is swapped between check and write does not move the write, in 100 races", () => {
  const link = join(base, "project/link");
  symlinkSync(join(base, "other"), link);
  for (let race = 0; race < 100; race++) {
    const checked = target("link/key");
    symlinkSync(join(base, "secret"), `${link}.new`);
    renameSync(`${link}.new`, link);
    writeFileSync(checked.path, String(race));
    symlinkSync(join(base, "other"), `${link}.new`);
    renameSync(`${link}.new`, link);
  }
  expect(readFileSync(join(base, "secret/key"), "utf8")).toBe("key");
  expect(readFileSync(join(base, "other/key"), "utf8")).toBe("99");
});

test("a folder on the resolved way that became a link is seen by the tool's own check", () => {
  const checked = target("src/key");
  expect(isStillTarget(checked, { cwd: base })).toBe(true);
  renameSync(join(base, "project/src"), join(base, "project/old"));
  symlinkSync(join(base, "secret"), join(base, "project/src"));
  expect(isStillTarget(checked, { cwd: base })).toBe(false);
});
