import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { afterThisTest } from "../../../../test/cleanup.ts";
import { appendToList } from "./edit-json.ts";
import { type FileChange, planEdits, planUndo, unifiedDiff, type WritePlace, writeEdits } from "./write-files.ts";

let place: WritePlace;
const FILE = ".hookloop/hooks.json";
beforeEach(() => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-write-")));
  afterThisTest(() => rmSync(base, { recursive: true, force: true }));
  place = { root: path.join(base, "project"), stateFolder: path.join(base, "state") };
  mkdirSync(place.root);
});

const at = (name: string): string => path.join(place.root, name);
const write = (name: string, content: string | Buffer): void => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
};
const replace = (to: string, file = FILE): FileChange => ({ file, change: () => ({ text: to }) });
const codes = (problems: readonly { readonly code: string }[]): string[] => problems.map(({ code }) => code);
/** Plans and writes; gives the problems. */
const edit = (...changes: FileChange[]): string[] => {
  const { edits, problems } = planEdits(changes, place);
  return codes(problems.length > 0 ? problems : writeEdits(edits, place));
};
const undo = (): string[] => {
  const planned = planUndo(place);
  if (!planned) return ["nothing"];
  return codes(planned.problems.length > 0 ? planned.problems : planned.write());
};

describe("an edit is written whole and taken back", () => {
  test("a file that was not there goes again, with the folders made for it", () => {
    expect(edit(replace("{}\n"))).toEqual([]);
    expect(readFileSync(at(FILE), "utf8")).toBe("{}\n");
    expect(undo()).toEqual([]);
    expect(readdirSync(place.root)).toEqual([]);
    expect(undo()).toEqual(["nothing"]);
  });

  test("a folder that something else is in by now stays", () => {
    edit(replace("{}\n"));
    write(".hookloop/other", "mine");
    expect(undo()).toEqual([]);
    expect(readdirSync(at(".hookloop"))).toEqual(["other"]);
  });

  test("rights stay through edit and undo", () => {
    write(FILE, "{}");
    chmodSync(at(FILE), 0o640);
    edit(replace('{"use":[]}'));
    expect(statSync(at(FILE)).mode & 0o777).toBe(0o640);
    undo();
    expect([statSync(at(FILE)).mode & 0o777, readFileSync(at(FILE), "utf8")]).toEqual([0o640, "{}"]);
  });

  test("several sets are taken back one after the other, the last first", () => {
    write(FILE, "0");
    for (const text of ["1", "2"]) edit(replace(text));
    undo();
    expect(readFileSync(at(FILE), "utf8")).toBe("1");
    undo();
    expect(readFileSync(at(FILE), "utf8")).toBe("0");
  });

  test("a link inside the project is followed, and stays a link", () => {
    write("shared.json", "old");
    mkdirSync(at(".hookloop"));
    symlinkSync("../shared.json", at(FILE));
    expect(edit(replace("new"))).toEqual([]);
    expect(readFileSync(at("shared.json"), "utf8")).toBe("new");
    expect(undo()).toEqual([]);
    expect(readFileSync(at("shared.json"), "utf8")).toBe("old");
  });

  test("what is as wanted already is no edit, and leaves nothing to take back", () => {
    write(FILE, "same");
    expect(planEdits([replace("same")], place)).toEqual({ edits: [], problems: [] });
    expect(edit(replace("same"))).toEqual([]);
    expect(planUndo(place)).toBeUndefined();
  });

  test("the state is for this user only", () => {
    edit(replace("{}"));
    const folder = path.join(place.stateFolder, "edits");
    const [project = ""] = readdirSync(folder);
    const [entry = ""] = readdirSync(path.join(folder, project));
    expect(statSync(path.join(folder, project)).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, project, entry)).mode & 0o777).toBe(0o600);
  });
});

test("after any edit of any formatted settings file, undo gives its bytes back", () => {
  const noise = fc.constantFrom("", " ", "\n", "\r\n\t", " // why\n", "/* , ] */");
  const settings = fc
    .tuple(fc.constantFrom("", "\uFEFF"), noise, noise, noise, fc.json())
    .map(([mark, a, b, c, value]) => `${mark}{${a}"other":${b}${value},${c}"use":[${a}"x"${b}]${c}}${a}`);
  fc.assert(
    fc.property(settings, (before) => {
      write(FILE, before);
      const change = (text = ""): ReturnType<typeof appendToList> => appendToList(text, { file: FILE, path: ["use"], items: ["safety"] });
      expect(edit({ file: FILE, change })).toEqual([]);
      expect(readFileSync(at(FILE), "utf8")).not.toBe(before);
      expect(undo()).toEqual([]);
      expect(readFileSync(at(FILE)).equals(Buffer.from(before))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

describe("what must not be overwritten is refused, and nothing is written", () => {
  test("a file that was changed since it was read", () => {
    write(FILE, "a");
    write("other", "b");
    const { edits } = planEdits([replace("new", "other"), replace("new")], place);
    write(FILE, "changed");
    expect(codes(writeEdits(edits, place))).toEqual(["HL_WRITE_CHANGED"]);
    expect([readFileSync(at(FILE), "utf8"), readFileSync(at("other"), "utf8")]).toEqual(["changed", "b"]);
  });

  test("a file that was changed since the edit is not taken back, nor are the others", () => {
    edit(replace("new", "other"), replace("new"));
    write(FILE, "changed");
    expect(undo()).toEqual(["HL_WRITE_CHANGED"]);
    expect([readFileSync(at(FILE), "utf8"), readFileSync(at("other"), "utf8")]).toEqual(["changed", "new"]);
  });

  test.each<[string, (outside: string) => void]>([
    [
      "a link out of the project",
      (outside) => {
        mkdirSync(at(".hookloop"));
        symlinkSync(path.join(outside, "x"), at(FILE));
      },
    ],
    ["a folder that is a link out of the project", (outside) => symlinkSync(outside, at(".hookloop"))],
    ["a folder in the place of the file", () => mkdirSync(at(FILE), { recursive: true })],
    ["a file in the place of the folder", () => write(".hookloop", "")],
    ["a file that is not UTF-8", () => write(FILE, Buffer.from([0x7b, 0xff, 0x7d]))],
  ])("%s", (_, arrange) => {
    const outside = path.join(place.root, "../outside");
    mkdirSync(outside);
    writeFileSync(path.join(outside, "x"), "mine");
    arrange(outside);
    expect(edit(replace("{}"))).toEqual(["HL_WRITE_REFUSED"]);
    expect(readFileSync(path.join(outside, "x"), "utf8")).toBe("mine");
    expect(readdirSync(outside)).toEqual(["x"]);
  });

  test("one file that cannot be written takes the others back", () => {
    write("first", "a");
    const { edits } = planEdits([replace("b", "first"), replace("b", "folder/second")], place);
    // A file is in the way of the folder by now; the file itself is as absent as before.
    write("folder", "in the way");
    expect(codes(writeEdits(edits, place)).length).toBe(1);
    expect([readFileSync(at("first"), "utf8"), readFileSync(at("folder"), "utf8")]).toEqual(["a", "in the way"]);
    expect(planUndo(place)).toBeUndefined();
  });

  test("without a place for what takes it back, nothing is written", () => {
    writeFileSync(place.stateFolder, "a file");
    expect(edit(replace("{}"))).toEqual(["HL_WRITE_FAILED"]);
    expect(readdirSync(place.root)).toEqual([]);
  });
});

test("the diff is unified", () => {
  write(FILE, "{\n}\n");
  const [planned] = planEdits([replace('{\n  "use": []\n}\n')], place).edits;
  expect(planned && unifiedDiff(planned)).toEqual([
    "--- a/.hookloop/hooks.json",
    "+++ b/.hookloop/hooks.json",
    "@@ -1,2 +1,3 @@",
    " {",
    '+  "use": []',
    " }",
  ]);
});
