/** Answers that cannot be read: nonsense of a guard is a failure, whatever kind of hook it is, and never consent. */
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { openMcpServers } from "../../packages/hookloop/src/mcp/open-mcp-servers.ts";
import { createScriptedModel } from "../../packages/hookloop/src/models/model-settings.ts";
import { startServer } from "../../packages/hookloop/src/run/http/http-server.test-suite.ts";
import type { McpServers } from "../../packages/hookloop/src/run/model/mcp-runner.ts";
import type { Model } from "../../packages/hookloop/src/run/model/model-port.ts";
import { programFromSource } from "../../packages/hookloop/src/run/module/host-from-source.test-suite.ts";
import { createModuleRunner } from "../../packages/hookloop/src/run/module/module-runner.ts";
import { afterThisTest } from "../cleanup.ts";
import { bash, decides, hooksFor, openProject, printing } from "../engine/open-project.ts";

const DENY = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } });
const bigEndian = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();
const own = (fields: object): string => JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });

/** Output that holds no answer, and looks as if one had been meant. */
const ATTEMPTS: readonly (readonly [string, string | Buffer])[] = [
  ["a JSON text", '"deny"'],
  ["a word in braces", "{oops"],
  ["null", "null"],
  ["true", "true"],
  ["false", "false"],
  ["a list", "[]"],
  ["a list with a decision", `[${DENY}]`],
  ["JSON inside of JSON", JSON.stringify(DENY)],
  ["UTF-16, little-endian", Buffer.from(DENY, "utf16le")],
  ["UTF-16, little-endian, with a mark", Buffer.from(`\ufeff${DENY}`, "utf16le")],
  ["UTF-16, big-endian", bigEndian(DENY)],
  ["UTF-16, big-endian, with a mark", bigEndian(`\ufeff${DENY}`)],
  ["NULs", "\0\0\0"],
  ["half a document", DENY.slice(0, -8)],
  ["two documents", `${DENY}\n${DENY}`],
  ["a misspelt field", '{"desicion":"deny"}'],
  ["a field at the wrong level", '{"permissionDecision":"deny"}'],
  ["a word in capitals", own({ permissionDecision: "DENY" })],
  ["a decision of the wrong type", '{"decision":true}'],
  ["another event's answer", '{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}'],
  ["a text where an object belongs", '{"hookSpecificOutput":"deny"}'],
  ["a trailing comma", `${DENY.slice(0, -1)},}`],
  ["single quotes", "{'decision': 'block'}"],
];
/** Output that a guard must not give; it may be of a program that the hook runs. */
const PLAIN: readonly (readonly [string, string])[] = [
  ["plain text", "deny"],
  ["a line of progress", "checking 3 files …"],
  ["a number", "1"],
  ["HTML", "<!doctype html><title>502</title>"],
];
/** Output that a hook must not give whose failure blocks: of others it is said at most. */
const WORDS: readonly (readonly [string, string | Buffer])[] = [
  ["compressed bytes", gzipSync(DENY)],
  ["Latin-1", Buffer.from("fünf", "latin1")],
  ["unknown fields", '{"verdict":"deny","because":"secrets"}'],
  ["an unknown field beside a harmless one", '{"continue":true,"verdict":"deny"}'],
  ["an unknown event field", own({ verdict: "deny" })],
  ["an answer one level too deep", `{"output":${DENY}}`],
  ["an answer one level too deep, again", `{"hookSpecificOutput":${DENY}}`],
  ["a key that reaches a prototype", '{"__proto__":{"decision":"block"}}'],
  ["such a key one level down", '{"hookSpecificOutput":{"hookEventName":"PreToolUse","__proto__":{"permissionDecision":"deny"}}}'],
  ["such a key in an empty part", '{"hookSpecificOutput":{"constructor":{"prototype":{"permissionDecision":"deny"}}}}'],
  ["such a key beside a harmless field", '{"continue":true,"constructor":{"decision":"block"}}'],
  ["such a key beside a message", '{"systemMessage":"hi","prototype":{"decision":"block"}}'],
  ["a reason without a decision", '{"reason":"secrets"}'],
  ["the event's reason without a decision", own({ permissionDecisionReason: "secrets" })],
  ["an empty object and more", "{} and more"],
  ["a promise", '{"async": true}'],
];
const SILENCE: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["white space", " \n\t\r\n"],
  ["an empty object", "{}"],
  ["the event's name", own({})],
  ["an empty object after a line of noise", "welcome\n{}"],
  ["a message", '{"systemMessage":"hi"}'],
  ["going on", '{"continue":true,"suppressOutput":true}'],
];

/** Byte for byte, by the shell itself: another program would take longer than everything else. */
const printer = (output: string | Buffer): string =>
  `printf '${[...Buffer.from(output)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}'`;

async function decisionOf(files: Parameters<typeof openProject>[0], ports: object = {}): Promise<readonly [string, readonly string[]]> {
  const project = openProject({ userNative: { settings: { allowLoopback: true } }, ...files });
  const hooks = await project.open({ ports });
  const { decision } = await hooks.fire("PreToolUse", bash("ls"));
  await hooks.fire("PreToolUse", bash("ls"));
  expect(project.codes().filter((code) => NOT_ASKED.includes(code))).toEqual([]);
  return [decision, project.codes()];
}

/** A guard that was never asked blocks too; these tests are about answers. */
const NOT_ASKED = ["COULD_NOT_START", "REFUSED", "UNREACHABLE", "NOT_CONNECTED", "NO_MODEL"].map((what) => `HL_EXECUTE_${what}`);

describe("a command", () => {
  test.each([...ATTEMPTS, ...WORDS, ...PLAIN])("that is a guard and prints %s has failed, and blocks", async (_name, output) => {
    const [decision, codes] = await decisionOf({ native: hooksFor("PreToolUse", [{ command: printer(output), guard: true }]) });
    expect(decision).toBe("deny");
    expect(codes.length).toBeGreaterThan(0);
  });

  test.each([...ATTEMPTS, ...WORDS])(
    "whose failure blocks and that prints %s has failed, also in an imported file",
    async (_name, output) => {
      const [decision] = await decisionOf({ project: hooksFor("PreToolUse", [{ command: printer(output), onFailure: "block" }]) });
      expect(decision).toBe("deny");
    },
  );

  test.each(PLAIN)("whose failure blocks and that prints %s is told so, and has not failed", async (_name, output) => {
    const [decision, codes] = await decisionOf({ project: hooksFor("PreToolUse", [{ command: printer(output), onFailure: "block" }]) });
    expect([decision, codes]).toEqual(["none", ["HL_OUTPUT_NO_ANSWER"]]);
  });

  test.each(ATTEMPTS)("of an imported file that prints %s has no opinion, and is reported", async (_name, output) => {
    const [decision, codes] = await decisionOf({ project: hooksFor("PreToolUse", printer(output)) });
    expect(decision).toBe("none");
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter((code) => code === "HL_OUTPUT_NO_ANSWER").length).toBeLessThan(2);
  });

  test.each(SILENCE)("that is a guard and prints %s has nothing to say", async (_name, output) => {
    expect(
      (await decisionOf({ native: hooksFor("PreToolUse", [{ command: `cat > /dev/null; ${printer(output)}`, guard: true }]) }))[0],
    ).toBe("none");
  });

  test.each([
    ["before", `echo checking; ${decides("deny")}`, "deny"],
    ["after", `${decides("deny")}; echo; echo done`, "deny"],
    ["before an allow", `echo checking; ${decides("allow")}`, "none"],
    ["after an allow", `${decides("allow")}; echo; echo done`, "none"],
  ])("that is a guard may print noise %s its answer: a denial counts, an approval does not", async (_name, command, expected) => {
    expect((await decisionOf({ native: hooksFor("PreToolUse", [{ command, guard: true }]) }))[0]).toBe(expected);
  });

  test.each([
    ["its answer on stderr", `${printing(JSON.parse(DENY))} >&2`],
    ["a promise, and a later deny", `echo '{"async": true}'; sleep 0.2; ${decides("deny")}`],
    ["a promise, and then fails", `echo '{"async": true}'; sleep 0.2; exit 7`],
    ["nothing, and exits with 1", "exit 1"],
    ["an allow, and exits with 3", `${decides("allow")}; exit 3`],
    ["an allow, and is killed", `${decides("allow")}; kill -9 $$`],
    ["its answer after its end", `(sleep 1; ${decides("deny")}) & exit 0`],
    ["an allow, and leaves its output open", `(sleep 1) & ${decides("allow")}`],
  ])("that is a guard and gives %s blocks", async (_name, command) => {
    expect((await decisionOf({ native: hooksFor("PreToolUse", [{ command, guard: true }]) }))[0]).toBe("deny");
  });

  test("whose output something holds open after its end has failed if its failure blocks, and the text says that an answer may be lost", async () => {
    const late = `(sleep 1; ${decides("deny")}) & exit 0`;
    const run = async (files: Parameters<typeof openProject>[0]) => {
      const project = openProject(files);
      const { decision } = await (await project.open()).fire("PreToolUse", bash("ls"));
      return [decision, project.diagnostics.find(({ code }) => code === "HL_EXECUTE_PIPES_HELD")] as const;
    };
    const lost = { text: expect.stringContaining("an answer may have been lost") };
    expect(await run({ native: hooksFor("PreToolUse", [{ command: late, guard: true }]) })).toMatchObject([
      "deny",
      { ...lost, level: "error" },
    ]);
    expect(await run({ project: hooksFor("PreToolUse", [{ command: late, onFailure: "block" }]) })).toMatchObject(["deny", lost]);
    expect(await run({ project: hooksFor("PreToolUse", late) })).toMatchObject(["none", lost]);
    // Nothing is lost of what holds only stderr, or nothing at all.
    for (const helper of ["sleep 1 >/dev/null", "sleep 1 >/dev/null 2>&1"])
      expect((await run({ native: hooksFor("PreToolUse", [{ command: `cat >/dev/null; ${helper} & exit 0`, guard: true }]) }))[0]).toBe(
        "none",
      );
    // A denial stays a denial, in its own words.
    const [decision, said] = await run({ native: hooksFor("PreToolUse", [{ command: `(sleep 1) & ${decides("deny")}`, guard: true }]) });
    expect([decision, said?.level]).toEqual(["deny", "notice"]);
  });

  test("that is a guard of the prompt blocks it with plain text, and adds context as JSON", async () => {
    const fire = async (command: string) =>
      (await openProject({ native: hooksFor("UserPromptSubmit", [{ command, guard: true }]) }).open()).fire("UserPromptSubmit", {
        prompt: "p",
      });
    expect((await fire("echo deny")).decision).toBe("deny");
    const said = await fire(printing({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "mind" } }));
    expect([said.decision, said.contexts.map(({ text }) => text)]).toEqual(["none", ["mind"]]);
  });
});

describe("a guard of another kind", async () => {
  const bodies = new Map<string, string | Buffer>();
  const replies = Object.fromEntries(
    [...ATTEMPTS, ...WORDS].map(([name, body], index) => {
      bodies.set(name, `/${index}`);
      return [`/${index}`, (response: { end(body: string | Buffer): unknown }) => void response.end(body)] as const;
    }),
  );
  const server = await startServer({
    ...replies,
    "/empty": (response) => void response.end(),
    "/204": (response) => void response.writeHead(204).end(),
  });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: "/root" };
  const modules = createModuleRunner({ environment, version: "0", script: await programFromSource("./module-host.ts") });
  afterAll(() => modules.close());
  const guard = (hook: object): object => ({ hooks: { PreToolUse: [{ hooks: [{ ...hook, guard: true }] }] } });

  test.each([...ATTEMPTS, ...WORDS])("http: a response with %s has failed", async (name) => {
    expect((await decisionOf({ native: guard({ type: "http", url: `${server.origin}${bodies.get(name)}` }) }))[0]).toBe("deny");
  });

  test("http: an empty response has failed, and 204 says outright that there is nothing to say", async () => {
    expect((await decisionOf({ native: guard({ type: "http", url: `${server.origin}/empty` }) }))[0]).toBe("deny");
    expect((await decisionOf({ native: guard({ type: "http", url: `${server.origin}/204` }) }))[0]).toBe("none");
  });

  test.each([
    ['"deny"', "deny"],
    ["false", "deny"],
    ["0", "deny"],
    ["Promise.resolve('no')", "deny"],
    ["['deny']", "deny"],
    ["({ decison: 'block' })", "deny"],
    ["({ verdict: 'deny' })", "deny"],
    ["new Map([['decision', 'block']])", "deny"],
    ["new Error('no')", "deny"],
    ["(() => 'deny')", "deny"],
    ["({ parts: [{ can: 'denny', value: 'no' }] })", "deny"],
    ["({ parts: [{ can: 'feedback', value: 'no' }] })", "deny"],
    ["undefined", "none"],
    ["null", "none"],
    ["({})", "none"],
  ])("module: one that returns %s: %s", async (returned, expected) => {
    const project = openProject({ native: guard({ type: "module", path: "../guard.mjs" }) });
    project.write("project/guard.mjs", `export default () => ${returned};\n`);
    const hooks = await project.open({ ports: { runners: { module: modules.run } } });
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe(expected);
    expect(project.codes().filter((code) => NOT_ASKED.includes(code))).toEqual([]);
  });

  test.each(
    [0, 1, 2, 3]
      .flatMap((code) => [
        [`process.exit(${code})`, `export default () => process.exit(${code});`],
        [`process.exit(${code}) later`, `export default async () => { await 0; process.exit(${code}); };`],
        [`process.exit(${code}) in a timer`, `export default () => new Promise(() => setTimeout(() => process.exit(${code}), 5));`],
        [`process.exit(${code}) while it is loaded`, `process.exit(${code}); export default () => undefined;`],
        [
          `process.exit(${code}) beside another hook`,
          `import { hook } from "@hookloop/sdk"; hook("PreToolUse", () => process.exit(${code})); hook("PreToolUse", { guard: true }, async () => { await 0; });`,
        ],
      ])
      .concat([
        ["a promise that is not awaited is rejected", "export default () => { (async () => { await 0; throw new Error('x'); })(); };"],
        ["a promise is rejected at once", "export default () => { Promise.reject(new Error('x')); };"],
        [
          "the same in a hook of the SDK",
          `import { hook } from "@hookloop/sdk"; hook("PreToolUse", { guard: true }, () => { (async () => { await 0; throw new Error("x"); })(); });`,
        ],
        ["process.exitCode = 2", "export default () => { process.exitCode = 2; };"],
        ["process.exitCode = 1", "export default async () => { await 0; process.exitCode = 1; };"],
      ]),
  )("module: %s denies, in a worker and in a process", async (_name, text) => {
    for (const isolation of ["worker", "process"]) {
      const project = openProject({ native: guard({ type: "module", path: "../guard.mjs", isolation }) });
      project.write("project/guard.mjs", text);
      const hooks = await project.open({ ports: { runners: { module: modules.run } } });
      expect([isolation, (await hooks.fire("PreToolUse", bash("ls"))).decision]).toEqual([isolation, "deny"]);
    }
  });

  test.each<[string, unknown, string]>([
    ["a text", "deny", "deny"],
    ["an empty text", "", "deny"],
    ["false", false, "deny"],
    ["a list", ["deny"], "deny"],
    ["a misspelt answer", { decison: "block" }, "deny"],
    ["an answer object of the wire", { decision: "block" }, "deny"],
    ["a promise of a text", Promise.resolve("deny"), "deny"],
    ["an ability that is none", { parts: [{ can: "denny", value: "no" }] }, "deny"],
    ["an ability that the event has not", { parts: [{ can: "feedback", value: "no" }] }, "deny"],
    ["a field that the event has not", { parts: [{ can: "output", value: { verdict: "deny" } }] }, "deny"],
    ["parts that are none", { parts: "deny" }, "deny"],
    ["nothing", undefined, "none"],
    ["no parts", { parts: [] }, "none"],
  ])("function: one that returns %s, with and without a listener", async (_name, returned, expected) => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { guard: true }, (() => returned) as never);
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe(expected);
    expect((await hooks.fire("PreToolUse", bash("ls"), {})).decision).toBe(expected);
  });

  test.each<[string, string, readonly unknown[], string]>([
    ["text", "deny", [{ type: "text", text: "deny" }], "deny"],
    ["unknown fields", '{"verdict":"deny"}', [{}], "deny"],
    ["a picture", "", [{ type: "image" }], "deny"],
    ["nothing", "", [], "deny"],
    ["an empty object", "{}", [{ type: "text", text: "{}" }], "none"],
  ])("mcp_tool: a tool that answers with %s", async (_name, text, content, expected) => {
    const mcp: McpServers = { connected: ["s"], problemOf: () => undefined, call: async () => ({ text, content, isError: false }) };
    expect((await decisionOf({ native: guard({ type: "mcp_tool", server: "s", tool: "t" }) }, { mcp: () => mcp }))[0]).toBe(expected);
  });

  const DENIAL = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };
  const text = (value: string): object => ({ type: "text", text: value });

  test.each<[string, object, string]>([
    ["no content", {}, "deny"],
    ["an empty list", { content: [] }, "deny"],
    ["an empty text", { content: [text("")] }, "deny"],
    ["a picture", { content: [{ type: "image", data: "", mimeType: "image/png" }] }, "deny"],
    ["an empty object", { content: [text("{}")] }, "none"],
    ["a structure that is empty", { content: [], structuredContent: {} }, "none"],
    ["a denial as toolResult", { toolResult: DENIAL }, "deny"],
    ["a denial as text of toolResult", { content: [text("{}")], toolResult: JSON.stringify(DENIAL) }, "deny"],
    ["a denial as structure beside an empty object", { content: [text("{}")], structuredContent: DENIAL }, "deny"],
    ["the same denial as structure and text", { content: [text(JSON.stringify(DENIAL))], structuredContent: DENIAL }, "deny"],
    ["a structure and a text that differ", { content: [text('{"systemMessage":"fine"}')], structuredContent: DENIAL }, "deny"],
    [
      "a denial in a resource",
      { content: [{ type: "resource", resource: { uri: "x:y", text: JSON.stringify(DENIAL) } }, text("{}")] },
      "deny",
    ],
    ["an answer under the id as a text", { asText: {}, content: [text(JSON.stringify(DENIAL))] }, "deny"],
  ])("mcp_tool: a server whose result is %s", async (_name, result, expected) => {
    const project = openProject({ native: guard({ type: "mcp_tool", server: "s", tool: "t" }) });
    const file = project.write(
      "server.mjs",
      `const { asText, ...result } = ${JSON.stringify(result)};
       const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
       import { createInterface } from "node:readline";
       for await (const line of createInterface({ input: process.stdin })) {
         const { id, method, params } = JSON.parse(line);
         if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
         else if (method === "tools/list") send({ id, result: { tools: [{ name: "t", inputSchema: { type: "object" } }] } });
         else if (method === "tools/call") {
           if (asText) send({ id: String(id), result: { content: [{ type: "text", text: "{}" }] } });
           send({ id, result });
         } else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
       }`,
    );
    const servers = await openMcpServers({
      servers: { s: { type: "stdio", command: process.execPath, args: [file], env: {} } },
      cwd: project.cwd,
      onProblem: (problem) => void project.diagnostics.push({ code: "HL_AGENT_MCP", level: "error", text: problem }),
    });
    afterThisTest(() => servers.close());
    const hooks = await project.open({ ports: { mcp: () => servers } });
    expect([(await hooks.fire("PreToolUse", bash("ls"))).decision, project.codes().includes("HL_AGENT_MCP")]).toEqual([expected, false]);
  });

  const TWICE = ['{"ok": false, "reason": "no", "ok": true}', '{"ok": true, "decision": "block"}', '{"ok": true} {"ok": false}'];

  test.each(["sure", "no", '"no"', ...TWICE, "[]", "null", "{}", '{"ok":"false"}', '{"okay":false}', "", '{"ok":false'])(
    "prompt: a model that answers %j",
    async (sideReply) => {
      const model: Model = createScriptedModel({ turns: [], sideReply });
      expect((await decisionOf({ native: guard({ type: "prompt", prompt: "Fine? $ARGUMENTS" }) }, { model }))[0]).toBe("deny");
    },
  );

  test("prompt: a model's no about a permission request counts, if the hook is a guard", async () => {
    const model: Model = createScriptedModel({ turns: [], sideReply: '{"ok": false, "reason": "no"}' });
    const hook = { type: "prompt", prompt: "Fine? $ARGUMENTS" };
    for (const [fields, expected] of [
      [{ guard: true }, "deny"],
      [{}, "none"],
    ] as const) {
      const native = { hooks: { PermissionRequest: [{ hooks: [{ ...hook, ...fields }] }] } };
      const hooks = await openProject({ native }).open({ ports: { model } });
      expect((await hooks.fire("PermissionRequest", bash("ls"))).decision).toBe(expected);
    }
  });
});

test("what an imported hook prints instead of an answer is said once in a session", async () => {
  const project = openProject({ project: hooksFor("PreToolUse", ["echo '\"deny\"'", "echo null"]) });
  const hooks = await project.open();
  for (let call = 0; call < 3; call++) await hooks.fire("PreToolUse", bash("ls"));
  expect(project.codes()).toEqual(["HL_OUTPUT_NO_ANSWER", "HL_OUTPUT_NO_ANSWER"]);
  expect(new Set(project.diagnostics.map(({ hook }) => hook)).size).toBe(2);
});

test("plain text of an imported hook is no answer, which is said once; where text is for the model it is that", async () => {
  const project = openProject({ project: hooksFor("PreToolUse", ["echo checked 12 files", "echo 12", "echo BLOCKED by policy"]) });
  const hooks = await project.open();
  for (let call = 0; call < 2; call++) expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
  expect(project.diagnostics.map(({ code, level }) => `${level} ${code}`).sort()).toEqual([
    "notice HL_OUTPUT_NO_ANSWER",
    "notice HL_OUTPUT_NO_ANSWER",
    "warning HL_OUTPUT_NO_ANSWER",
  ]);
  const prompt = openProject({
    project: hooksFor("UserPromptSubmit", [`echo '{ticket} says "no"'`, { command: "echo context", onFailure: "block" }]),
  });
  const said = await (await prompt.open()).fire("UserPromptSubmit", { prompt: "p" });
  expect([said.decision, said.contexts.length, prompt.codes()]).toEqual(["none", 2, []]);
});

describe("a hook that exits with 0 and tells of a failure on stderr", () => {
  const noProgram = "cmd=$(no-such-program-jq -r .tool_input.command); case $cmd in *rm*) exit 2;; esac";

  test.each([
    ["is a guard", "native", { guard: true }, "deny"],
    ["blocks when it fails", "native", { onFailure: "block" }, "deny"],
    ["blocks when it fails, imported", "project", { onFailure: "block" }, "deny"],
    ["is imported", "project", {}, "none"],
    ["is native", "native", {}, "none"],
  ])("and %s: said, with the decision of its direction", async (_name, file, fields, expected) => {
    const [decision, codes] = await decisionOf({ [file]: hooksFor("PreToolUse", [{ command: noProgram, ...fields }]) });
    expect(decision).toBe(expected);
    expect(codes.filter((code) => code === "HL_OUTPUT_STDERR")).toHaveLength(expected === "deny" ? 2 : 1);
  });

  test.each([
    ["dash cannot read a line", `printf 'x=\${a b}\n' > g.sh; dash g.sh | cat`],
    ["Python cannot read the script", "echo 'import x y' > g.py; python3 g.py | cat"],
    ["bash cannot read what it evaluates", `printf 'eval "if then"\ntrue\n' > g.sh; bash g.sh`],
    ["bash cannot read its argument", `bash -c 'if then' | cat`],
    ["bash has no files left", `bash -c 'ulimit -n 4; x=$(ls); true'`],
    ["a program of dash is killed", `dash -c 'sh -c "kill -KILL \\$\\$"; true'`],
    ["a program of dash breaks down", `dash -c 'sh -c "kill -SEGV \\$\\$"; true'`],
    ["Perl finds no module", "perl -e 'use No::Such;' | cat"],
    ["Node finds no module", `node -e 'require("no-such")' | cat`],
    ["Python finds no module", "python3 -m nosuch | cat"],
    ["a pattern is broken", "echo x | grep -E '(' ; true"],
    ["the failure is told after much else", "seq 2000 >&2; cat /no/such/file; true"],
  ])("%s: a guard blocks", async (_name, command) => {
    const [decision, codes] = await decisionOf({ native: hooksFor("PreToolUse", [{ command, guard: true }]) });
    expect([decision, codes.includes("HL_OUTPUT_STDERR")]).toEqual(["deny", true]);
  });

  test("blocks in a strict session, and is said of a .hooks.json file too", async () => {
    const strict = openProject({ project: hooksFor("PreToolUse", noProgram) });
    expect((await (await strict.open({ strict: true })).fire("PreToolUse", bash("rm x"))).decision).toBe("deny");
    const flat = openProject({ flat: { hooks: { PreToolUse: [{ matcher: "bash", command: noProgram }] } } });
    expect((await (await flat.open()).fire("PreToolUse", bash("rm x"))).decision).toBe("none");
    expect(flat.codes()).toEqual(["HL_OUTPUT_STDERR"]);
  });

  test.each(["./deny.sh || true", "./deny.sh | cat", "./deny.sh; exit 0"])("%s: what it said is shown once", async (command) => {
    const project = openProject({ project: hooksFor("PreToolUse", command.replace("./deny.sh", "sh -c 'echo no way >&2; exit 2'")) });
    const hooks = await project.open();
    for (let call = 0; call < 2; call++) await hooks.fire("PreToolUse", bash("ls"));
    expect(project.diagnostics).toMatchObject([{ code: "HL_OUTPUT_STDERR", level: "notice", text: expect.stringContaining("no way") }]);
  });
});

describe("a guard that opens its stdin by a name", () => {
  const NO = "grep -q 'rm -rf' && exit 2; exit 0";
  test.each([
    ["cat", `cat /dev/stdin | ${NO}`],
    ["a redirection", `x=$(cat < /dev/stdin); printf %s "$x" | ${NO}`],
    ["/proc/self/fd/0", `cat /proc/self/fd/0 | ${NO}`],
    ["Python", `python3 -c 'import sys; sys.exit(2 if "rm -rf" in open("/dev/stdin").read() else 0)'`],
    ["Node", `node -e 'process.exitCode = /rm -rf/.test(require("fs").readFileSync("/dev/stdin", "utf8")) ? 2 : 0'`],
    ["stdin itself, beside the name", `# /dev/stdin\n${NO}`],
  ])("%s: it judges", async (_name, command) => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command, guard: true }]) });
    const hooks = await project.open();
    const decisions = [];
    for (const line of ["ls", "rm -rf x"]) decisions.push((await hooks.fire("PreToolUse", bash(line))).decision);
    expect([decisions, project.codes()]).toEqual([["none", "deny"], []]);
  });
});

describe("a hook that exits with 0, prints nothing and never read the event", () => {
  const LINES = {
    "looks for it in a variable": `case "$CLAUDE_TOOL_INPUT" in *rm*) exit 2;; esac`,
    "looks for it among its arguments": `sh -c 'case "$1" in *rm*) exit 2;; esac' guard`,
    "only exports its function": "echo 'export default (i) => { throw i; }' > g.mjs; node g.mjs",
    "exports it as CommonJS": "echo 'exports.guard = (i) => { throw i; }' > g.cjs; node g.cjs",
    "closes its stdin": "exec <&-; sleep 0.05",
  };

  test.each(Object.entries(LINES))("%s: a guard blocks", async (_name, command) => {
    for (const fields of [{ guard: true }, { onFailure: "block" }]) {
      const [decision, codes] = await decisionOf({ native: hooksFor("PreToolUse", [{ command, ...fields }]) });
      expect([decision, codes]).toEqual(["deny", expect.arrayContaining(["HL_EXECUTE_INPUT_UNREAD"])]);
    }
  });

  test.each(['case "$CLAUDE_TOOL_INPUT" in *rm*) exit 2;; esac', "printf 'case \"$1\" in *rm*) exit 2;; esac' > g.sh; sh ./g.sh"])(
    "is no guard, but may be meant as a gate: it is said once (%s)",
    async (command) => {
      const project = openProject({ project: hooksFor("PreToolUse", command) });
      const hooks = await project.open();
      project.diagnostics.length = 0;
      for (let call = 0; call < 2; call++) expect((await hooks.fire("PreToolUse", bash("rm x"))).decision).toBe("none");
      expect(project.diagnostics).toMatchObject([
        { code: "HL_EXECUTE_INPUT_UNREAD", level: "warning", text: expect.stringContaining("stdin") },
      ]);
    },
  );

  test("stands in a .hooks.json, whose hooks have the event in variables: nothing is said", async () => {
    const flat = openProject({
      flat: { hooks: { PreToolUse: [{ command: 'case "$HOOK_TOOL_INPUT" in *deploy*) exit 1;; esac; exit 0' }] } },
    });
    const hooks = await flat.open();
    const decisions = [];
    for (const line of ["ls", "deploy"]) decisions.push((await hooks.fire("PreToolUse", bash(line))).decision);
    expect([decisions, flat.codes()]).toEqual([["none", "deny"], []]);
  });

  test("is no guard and no script: it may have nothing to judge", async () => {
    const [decision, codes] = await decisionOf({ project: hooksFor("PreToolUse", "touch seen") });
    expect([decision, codes]).toEqual(["none", []]);
  });

  test.each([
    ["reads it", "cat > /dev/null"],
    ["reads a line of it", "read -r line; true"],
    ["has it read by something it started", "exec 3<&0; (sleep 0.05; cat <&3 > /dev/null) & true"],
    ["says something", "echo '{}'"],
  ])("%s: nothing is said", async (_name, command) => {
    const [decision, codes] = await decisionOf({ native: hooksFor("PreToolUse", [{ command, guard: true }]) });
    expect([decision, codes.includes("HL_EXECUTE_INPUT_UNREAD")]).toEqual(["none", false]);
  });

  test("judges no call: a guard of Stop that runs the tests need not read it", async () => {
    const project = openProject({ native: hooksFor("Stop", [{ command: "true", guard: true }]) });
    const { decision } = await (await project.open()).fire("Stop", { stop_hook_active: false });
    expect([decision, project.codes()]).toEqual(["none", []]);
  });
});
