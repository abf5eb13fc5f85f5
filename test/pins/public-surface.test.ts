import { build } from "esbuild";
import { expect, test } from "vitest";
import { SDK_BUILD } from "../../scripts/sdk-build.mjs";

/** Names a user can import, the files that come with them, and those that are loaded at once. */
async function surface(entry: string): Promise<{ names: string[]; inputs: string[]; atOnce: string[] }> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    outdir: "/out",
    write: false,
    metafile: true,
    packages: "external",
  });
  const main = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === entry);
  const loaded = new Set(main ? [main] : []);
  for (const { imports } of loaded) {
    for (const { kind, path } of imports) {
      const output = metafile.outputs[path];
      if (kind === "import-statement" && output) loaded.add(output);
    }
  }
  const atOnce = [...loaded].flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return { names: [...(main?.exports ?? [])].sort(), inputs: Object.keys(metafile.inputs), atOnce };
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

test("@hookloop/sdk/host exports what a program needs that calls hooks itself", async () => {
  expect((await surface("packages/sdk/src/host.ts")).names).toEqual([
    "HOOK_OPTIONS",
    "WATCHED",
    "alternativesOf",
    "answerWith",
    "besideResult",
    "declaredHooks",
    "declaredScript",
    "definitionScript",
    "embedHooks",
    "encode",
    "findMistake",
    "fitsServers",
    "forgetHooks",
    "hookCommand",
    "hostHooks",
    "isDefinition",
    "isHookScript",
    "misreadField",
    "noteRegistered",
    "readFilter",
    "resultListeners",
    "runHosted",
    "scriptSlip",
    "serverGlob",
    "serverToolsNamed",
    "spellingSlip",
    "strayOutput",
    "thrownPlace",
    "unregisteredHooks",
    "watchInput",
    "watchedCall",
  ]);
});

/** Bytes of the files that are shipped, by name. */
async function shippedBytes(): Promise<Record<string, number>> {
  const { outputFiles } = await build({ ...SDK_BUILD, write: false });
  return Object.fromEntries((outputFiles ?? []).map(({ path, contents }) => [path.split("/").at(-1), contents.length]));
}

test("importing hook() loads one file of at most 6 kB, with the names of hook-utils one of at most 12 kB", async () => {
  const bytes = await shippedBytes();
  expect(bytes["hook.js"]).toBeLessThanOrEqual(6_000);
  expect(bytes["index.js"]).toBeLessThanOrEqual(12_000);
});

// A script that runs also loads the runner, which reads stdin, writes the answer and keeps the log.
test("what a running hook script loads is at most 21 kB", async () => {
  const bytes = await shippedBytes();
  expect((bytes["hook.js"] ?? 0) + (bytes["runner.js"] ?? 0)).toBeLessThanOrEqual(21_000);
});

test("hookloop's root entry loads no validator, no command line and no web code", async () => {
  const { names, inputs } = await surface("packages/hookloop/src/index.ts");
  expect(names).toEqual(
    [
      "EVENTS",
      "EVENT_NAMES",
      "Permissions",
      "abilitiesOf",
      "blockTexts",
      "createHooks",
      "createWebhookVerifier",
      "decide",
      "diagnosticLine",
      "inputFieldsOf",
      "isEventName",
      "isToolDenied",
      "modelTexts",
      "openHooks",
      "readRules",
      "samplePayload",
      "toClaudeOutput",
      "toToolResult",
      "toUserMessage",
    ].sort(),
  );
  expect(inputs.filter((file) => /zod|commander|hono|catalogue\/(?:settings-)?schemas?\.|\/cli\//.test(file))).toEqual([]);
  // A model or an MCP client is passed in: the engine knows only their ports.
  expect(inputs.filter((file) => /anthropic|modelcontextprotocol|src\/models\/|src\/mcp\/|src\/agent\//.test(file))).toEqual([]);
});

test("hookloop/agent exports the reference agent, the model without a network, and what tools and models throw", async () => {
  expect((await surface("packages/hookloop/src/agent.ts")).names).toEqual(["ModelError", "ToolFailure", "createOfflineModel", "runAgent"]);
});

test("hookloop/shell exports the reading of shell commands", async () => {
  const { names, inputs } = await surface("packages/hookloop/src/shell.ts");
  expect(names).toEqual(["UNKNOWN", "assessCommand", "plainWords", "programName", "readCommand"]);
  expect(inputs.filter((file) => !/packages\/hookloop\/src\/(?:shell\.ts|shell\/)/.test(file))).toEqual([]);
});

test("the command line loads what a command needs when that command is used", async () => {
  // A hook of another agent starts before every call, without the other commands.
  expect((await surface("packages/hookloop/src/cli/main.ts")).atOnce).toHaveLength(2);
  const { atOnce } = await surface("packages/hookloop/src/cli/program.ts");
  expect(atOnce).toContain("packages/hookloop/src/cli/program.ts");
  expect(atOnce.filter((file) => !/src\/(?:cli\/|catalogue\/|diagnostic\.ts)/.test(file))).toEqual([]);
});
