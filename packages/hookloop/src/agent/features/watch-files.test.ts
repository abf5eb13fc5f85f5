import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { type FileEvent, type FileWatch, fileContent, fileState, type LookAtFile, watchFiles } from "./file-watch.ts";

const QUIET = 60;
/** Long enough for a second event to come, if there were one. */
const LONG = QUIET * 4;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

interface Desk {
  readonly folder: string;
  readonly file: string;
  readonly watch: FileWatch;
  readonly events: FileEvent[];
  readonly problems: string[];
}

function openDesk(look: LookAtFile = fileState): Desk {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-watch-")));
  const file = path.join(folder, "watched.txt");
  writeFileSync(file, "one\n");
  const events: FileEvent[] = [];
  const problems: string[] = [];
  const onEvent = async (event: FileEvent): Promise<void> => void events.push(event);
  const watch = watchFiles({ look, onEvent, onProblem: (text) => problems.push(text), quietMs: QUIET });
  watch.follow([file]);
  cleanups.push(() => {
    watch.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, file, watch, events, problems };
}

type Save = (file: string) => void | Promise<void>;

const SAVES: Readonly<Record<string, Save>> = {
  "in place": (file) => writeFileSync(file, "two\n", { flag: "r+" }),
  "renaming over it": (file) => {
    writeFileSync(`${file}.new`, "two\n");
    renameSync(`${file}.new`, file);
  },
  "truncating, then writing": async (file) => {
    truncateSync(file);
    await sleep(20);
    writeFileSync(file, "two\n");
  },
  "touching it": (file) => utimesSync(file, new Date(), new Date()),
  "writing a hidden file, then renaming it later": async (file) => {
    const hidden = path.join(path.dirname(file), ".watched.txt.swp");
    writeFileSync(hidden, "tw");
    await sleep(20);
    appendFileSync(hidden, "o\n");
    renameSync(hidden, file);
  },
  "keeping a backup": async (file) => {
    renameSync(file, `${file}~`);
    await sleep(20);
    writeFileSync(file, "two\n");
    await sleep(20);
    rmSync(`${file}~`);
  },
  "removing it, then making it anew": async (file) => {
    rmSync(file);
    await sleep(QUIET + 10);
    writeFileSync(file, "two\n");
  },
  "several writes in a burst": async (file) => {
    for (const text of ["t", "tw", "two", "two\n"]) {
      writeFileSync(file, text);
      await sleep(15);
    }
  },
  "changing its rights": (file) => chmodSync(file, 0o600),
  "appending to it": (file) => appendFileSync(file, "two\n"),
};

describe("a save is one event", () => {
  test.for(Object.entries(SAVES))("%s", async ([, save]) => {
    const { file, events } = openDesk();
    await sleep(20);
    await save(file);
    await sleep(LONG);
    expect(events).toEqual([{ file, event: "change" }]);
    // And the watch still sees the next one, although another file may be in its place.
    appendFileSync(file, "more\n");
    await sleep(LONG);
    expect(events).toHaveLength(2);
  });

  test.for(Object.entries(SAVES))("%s, looked for before the next request", async ([, save]) => {
    const { file, events, watch } = openDesk();
    await save(file);
    await watch.settle();
    expect(events).toEqual([{ file, event: "change" }]);
    await watch.settle();
    await sleep(LONG);
    expect(events).toHaveLength(1);
  });
});

test("a file that comes is added, one that goes is removed", async () => {
  const { file, events } = openDesk();
  rmSync(file);
  await sleep(LONG);
  writeFileSync(file, "back\n");
  await sleep(LONG);
  expect(events.map(({ event }) => event)).toEqual(["unlink", "add"]);
});

test("a file in a folder that is not there yet is received of", async () => {
  const { folder, watch, events } = openDesk();
  const later = path.join(folder, "a", "b", "later.txt");
  watch.follow([later]);
  mkdirSync(path.dirname(later), { recursive: true });
  await sleep(LONG);
  writeFileSync(later, "there\n");
  await sleep(LONG);
  expect(events).toEqual([{ file: later, event: "add" }]);
});

test("a folder that is replaced is watched again", async () => {
  const { folder, watch, events } = openDesk();
  const file = path.join(folder, "sub", "file.txt");
  mkdirSync(path.dirname(file));
  writeFileSync(file, "one\n");
  watch.follow([file]);
  rmSync(path.dirname(file), { recursive: true });
  mkdirSync(path.dirname(file));
  writeFileSync(file, "two\n");
  await sleep(LONG);
  appendFileSync(file, "three\n");
  await sleep(LONG);
  expect(events.map(({ event }) => event)).toEqual(["change", "change"]);
});

test("what a link points to is watched, wherever it is", async () => {
  const { folder, watch, events } = openDesk();
  const elsewhere = path.join(folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(path.join(elsewhere, "target.txt"), "one\n");
  mkdirSync(path.join(folder, "links"));
  const link = path.join(folder, "links", "link.txt");
  symlinkSync(path.join(elsewhere, "target.txt"), link);
  watch.follow([link]);
  appendFileSync(path.join(elsewhere, "target.txt"), "two\n");
  await sleep(LONG);
  expect(events).toEqual([{ file: link, event: "change" }]);
});

test("other files of the folder are ignored, and a busy one does not hide the watched one", async () => {
  const { folder, file, events } = openDesk();
  const log = path.join(folder, "log.txt");
  appendFileSync(file, "two\n");
  const until = performance.now() + QUIET * 14;
  while (performance.now() < until) {
    appendFileSync(log, "line\n");
    await sleep(10);
  }
  expect(events).toEqual([{ file, event: "change" }]);
});

test("where only the content counts, touching and saving the same text is no change", async () => {
  const { file, watch, events } = openDesk(fileContent);
  utimesSync(file, new Date(), new Date());
  chmodSync(file, 0o600);
  writeFileSync(file, "one\n");
  await sleep(LONG);
  await watch.settle();
  expect(events).toEqual([]);
  writeFileSync(file, "two\n");
  await watch.settle();
  expect(events).toHaveLength(1);
});

test("a file that is new to the list is taken as it is, unless the list only grows by what comes", async () => {
  const { folder, watch, events } = openDesk();
  const file = path.join(folder, "other.txt");
  writeFileSync(file, "there\n");
  watch.follow([file]);
  await watch.settle();
  expect(events).toEqual([]);
  const grown = path.join(folder, "grown.txt");
  writeFileSync(grown, "new\n");
  watch.followGrowing([file, grown]);
  await watch.settle();
  expect(events).toEqual([{ file: grown, event: "add" }]);
});

test("after closing nothing is told any more, and nothing waits for it", async () => {
  const { file, watch, events } = openDesk();
  appendFileSync(file, "two\n");
  const settled = watch.settle();
  watch.close();
  await settled;
  await watch.settle();
  await sleep(LONG);
  expect(events).toEqual([]);
});
