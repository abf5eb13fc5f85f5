import { expect, test } from "vitest";
import { importersOf, median, readSources } from "../../scripts/source-map.mjs";

/** A folder imports from those above it and from its own line's left; never from below. `exports` and `index.ts` are the package's doors. */
const ORDER = [
  ["catalogue"],
  ["shell"],
  ["permissions"],
  ["config"],
  ["trust"],
  ["select"],
  ["run"],
  ["judge"],
  ["engine"],
  ["dialects", "trace"],
  ["builtin", "context", "models", "mcp"],
  ["open"],
  ["compat", "agent"],
  ["cases"],
  ["cli"],
] as const;
/** Loaded only by those who validate: they name the file, since the folder's index must not load a validator. */
const NOT_THROUGH_INDEX = ["catalogue/schemas.ts"];
const ENGINE = "packages/hookloop/src/";

const sources = readSources();
const engine = [...sources.values()].filter(({ file }) => file.startsWith(ENGINE));

/** The stage of a file, or nothing for the files of the root, which every stage may use. */
function stageOf(file: string): string | undefined {
  const [first = "", second] = file.slice(ENGINE.length).split("/");
  if (second === undefined) return first === "open.ts" ? "open" : undefined;
  return first;
}

function rankOf(stage: string | undefined): number {
  return ORDER.findIndex((line) => line.some((one) => one === stage));
}

const isDoor = (file: string): boolean => ["agent.ts", "index.ts", "shell.ts", "trace.ts"].some((name) => file === `${ENGINE}${name}`);
const crossings = engine
  .filter(({ file }) => !isDoor(file))
  .flatMap(({ file, imports }) => imports.map((one) => ({ from: file, to: one.file, through: one.through })))
  .filter(({ from, to }) => to.startsWith(ENGINE) && stageOf(from) !== stageOf(to));

test("every folder of the engine's package has its place in the line", () => {
  const stages = new Set(engine.filter(({ file }) => !isDoor(file)).map(({ file }) => stageOf(file)));
  expect([...stages].filter((stage) => stage !== undefined && rankOf(stage) < 0)).toEqual([]);
});

test("imports go one way", () => {
  const against = crossings.filter(({ from, to }) => rankOf(stageOf(to)) >= rankOf(stageOf(from)));
  expect(against.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test("the walk sees the imports: a stage, a lazy import and a type", () => {
  expect(crossings.length).toBeGreaterThan(500);
  const importsOf = (file: string): readonly string[] => sources.get(`${ENGINE}${file}`)?.imports.map((one) => one.file) ?? [];
  expect(importsOf("engine/fire.ts")).toContain(`${ENGINE}engine/conclude.ts`);
  expect(importsOf("cli/commands/agent.ts")).toContain(`${ENGINE}agent/run-headless.ts`);
});

test("a folder is entered through its index", () => {
  const past = crossings.filter(({ to, through }) => {
    const stage = stageOf(to);
    return (
      stage !== undefined && stage !== "open" && !through.endsWith("/index.ts") && !NOT_THROUGH_INDEX.includes(to.slice(ENGINE.length))
    );
  });
  const isLazy = ({ from, to }: (typeof past)[number]): boolean => LAZY.some(([a, b]) => from.endsWith(a) && to.endsWith(b));
  expect(past.filter((one) => !isLazy(one)).map(({ from, to }) => `${from} imports ${to} directly`)).toEqual([]);
});

/** What is loaded only when it is needed must not come with the folder's index. */
const LAZY: readonly (readonly [from: string, to: string])[] = [
  ["open/session.ts", "run/module/module-runner.ts"],
  ["open/session.ts", "run/module/warm-scripts.ts"],
  ["open/session.ts", "run/http/http-runner.ts"],
  ["open/extensions.ts", "run/module/module-graph.ts"],
  ["cli/commands/agent.ts", "agent/run-headless.ts"],
  ["cli/commands/hook.ts", "engine/host.ts"],
  ["cli/conversation/talk.ts", "models/offline/read-sentence.ts"],
];

test("the SDK imports nothing but Node's own modules and its own files", () => {
  const foreign = [...sources.values()].filter(({ file }) => file.startsWith("packages/sdk/"));
  expect(foreign.flatMap(({ file, imports }) => imports.filter((one) => !one.file.startsWith("packages/sdk/")).map(() => file))).toEqual(
    [],
  );
});

test("folders are at most two deep and hold three to sixteen files", () => {
  const counts = new Map<string, number>();
  for (const { folder } of sources.values()) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const many = ["cli/commands", "builtin", "dialects"];
  const depth = (folder: string): number => folder.replace(/^packages\/\w+\/src\/?/, "").split("/").length;
  const wrong = [...counts].filter(
    ([folder, files]) => depth(folder) > 2 || files < 3 || (files > 16 && !many.some((one) => folder.endsWith(one))),
  );
  expect(wrong).toEqual([]);
});

test("the house stays small enough to hold in the head", () => {
  const files = [...sources.values()];
  const single = [...importersOf(sources).values()].filter(({ size }) => size === 1);
  expect(files.length).toBeLessThanOrEqual(386);
  expect(median(files.map(({ lines }) => lines))).toBeGreaterThanOrEqual(80);
  expect(single.length / files.length).toBeLessThanOrEqual(0.25);
});
