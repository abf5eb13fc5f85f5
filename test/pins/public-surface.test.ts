import { build } from "esbuild";
import { expect, test } from "vitest";

/** Names a user can import, and the files and bytes that come with them. */
async function surface(entry: string): Promise<{ names: string[]; inputs: string[]; staticBytes: number; allBytes: number }> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    splitting: true,
    charset: "utf8",
    format: "esm",
    platform: "node",
    outdir: "/out",
    write: false,
    metafile: true,
    packages: "external",
  });
  const outputs = metafile.outputs;
  const [name, main] = Object.entries(outputs).find(([, output]) => output.entryPoint === entry) ?? [];
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file) || !outputs[file]) return;
    loaded.add(file);
    for (const { path, kind } of outputs[file].imports) if (kind === "import-statement") load(path);
  };
  load(name as string);
  const bytes = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
  return {
    names: [...(main?.exports ?? [])].sort(),
    inputs: Object.keys(metafile.inputs),
    staticBytes: bytes(loaded),
    allBytes: bytes(Object.keys(outputs)),
  };
}

const NEW_WAY = [
  "allow",
  "ask",
  "block",
  "context",
  "defer",
  "deny",
  "feedback",
  "hook",
  "output",
  "replaceOutput",
  "rewrite",
  "rewritePrompt",
  "stop",
  "tellUser",
];
const KNOWN_WAY = [
  "emitBlock",
  "emitBlockPrompt",
  "emitBlockTopLevel",
  "emitBlockViaExit",
  "emitContext",
  "emitContextAndBlock",
  "emitPermissionDecision",
  "eprint",
  "hookLog",
  "isInternalCall",
  "loadHookInput",
  "logBlocking",
  "logDebug",
  "logDiagnostic",
  "logError",
  "logHookError",
  "logInfo",
  "logWarn",
  "runHook",
  "runHookAsync",
];

test("@hookloop/sdk exports both ways of writing a hook and nothing else", async () => {
  expect((await surface("packages/sdk/src/index.ts")).names).toEqual([...NEW_WAY, ...KNOWN_WAY].sort());
});

test("@hookloop/sdk/hook exports the new way only", async () => {
  expect((await surface("packages/sdk/src/hook/index.ts")).names).toEqual(NEW_WAY);
});

test("@hookloop/sdk/testing exports four functions", async () => {
  expect((await surface("packages/sdk/src/testing/index.ts")).names).toEqual(["callHook", "readAnswer", "runHookFile", "sampleInput"]);
});

// What `import` loads. The runner that reads stdin and writes the answer is a file of its own, loaded when a script runs.
test("importing hook() loads at most 6 kB, with the S4 names at most 12 kB", async () => {
  expect((await surface("packages/sdk/src/hook/index.ts")).staticBytes).toBeLessThanOrEqual(6_000);
  expect((await surface("packages/sdk/src/index.ts")).staticBytes).toBeLessThanOrEqual(12_000);
});

test("the whole SDK without testing, runner included, is at most 20 kB", async () => {
  expect((await surface("packages/sdk/src/index.ts")).allBytes).toBeLessThanOrEqual(20_000);
});

test("hookloop's root entry loads no validator, no command line and no web code", async () => {
  const { names, inputs } = await surface("packages/hookloop/src/index.ts");
  expect(names).toEqual(["EVENTS", "EVENT_NAMES", "abilitiesOf", "inputFieldsOf", "isEventName", "samplePayload"].sort());
  expect(inputs.filter((file) => /zod|commander|hono|schemas|\/cli\//.test(file))).toEqual([]);
});
