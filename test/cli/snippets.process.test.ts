import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

interface Snippet {
  readonly file: string;
  /** Its first line. */
  readonly begins: string;
  readonly code: string;
}

const FENCE = /^```(?:js|mjs|ts|javascript|typescript)\b[^\n]*\n([\s\S]*?)^```/gm;
const pages = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => (name.endsWith(".md") ? path.join(folder, name) : []));
const FILES = ["README.md", ...pages("docs").sort(), "packages/hookloop/README.md", "packages/sdk/README.md", "examples/README.md"];
const SNIPPETS = FILES.flatMap((file): readonly Snippet[] =>
  [...readFileSync(file, "utf8").matchAll(FENCE)].map(([, code = ""]) => ({ file, begins: code.split("\n", 1)[0] ?? "", code })),
);

/** Files whose programs another test compiles or plays, as they stand, and compares with what the page shows. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "README.md": "readme.process.test.ts",
  "docs/guide/": "guides.process.test.ts, with what they print",
  "docs/reference/agent.md": "run-agent.process.test.ts and elicitation.process.test.ts",
};

/** No programs, and why. */
const NO_PROGRAMS: Readonly<Record<string, string>> = {
  "hook(event, handler)": "signatures",
  'declare module "@hookloop/sdk" {': "a declaration; compiled, and nothing to run",
};

const BASH = 'const [tool_name, tool_input, tool_use_id] = ["Bash", { command: "ls" }, "t1"] as const;';
const CALL = `${BASH}\nconst call = { tool_name, tool_input, tool_use_id };`;
const OPEN =
  'import { openHooks } from "hookloop";\nconst cwd = process.cwd();\nconst hooks = await openHooks({ cwd, trust: "implicit" });';

/** What the reader has around a snippet, by its first line. */
const AROUND: Readonly<Record<string, string>> = {
  'import { openHooks } from "hookloop";': `import { deny } from "@hookloop/sdk";
import type { Step } from "hookloop";
const cwd = process.cwd();
const sessionId = "one";
const trust = "implicit";
const onDiagnostic = (): void => {};
const stop_hook_active = false;
${BASH}
const execute = (): string => "ran";
const permission = (): "allow" => "allow";
const ask = (): boolean => true;
const show = (_step: Step): void => {};
const runShell = (line: string): string => line;
`,
  'declare module "@hookloop/sdk" {': "export {};\n",
  "const begun = await hooks.begin(call, options);        // the options of runTool": `${OPEN}\n${CALL}\nconst options = {};\nconst runMyTool = async (_input: object): Promise<string> => "ran";\nconst done = await (async () => {\n`,
  'import { decide, Permissions, readRules } from "hookloop";': `${OPEN}\n${CALL}\nconst root = cwd;\nconst execute = (): string => "ran";\nconst ask = (): boolean => true;\n`,
  'import { createWebhookVerifier } from "hookloop";': `const request = { headers: {} };\nconst body = "{}";\nconst response = { writeHead: (_status: number) => ({ end: (): void => {} }) };\n`,
  'import { callHook, sampleInput } from "@hookloop/sdk/testing";': "",
  "const hooks = await openHooks({": `import { openHooks } from "hookloop";\nconst cwd = process.cwd();\nconst [id, digest] = ["project:Stop:0123456789", "sha256:0"];\n`,
  "const loop = createTeachingLoop();": `import { createTeachingLoop } from "hookloop/compat/teaching";\nconst [name, input, id] = ["Bash", { command: "ls" }, "t1"] as const;\nconst run = async (_name: string, _input: object): Promise<string> => "ran";\n`,
  'import { HOOKS, logHook, permissionHook, registerHook, triggerHooks } from "hookloop/compat/teaching";':
    'const block = { name: "bash", input: { command: "ls" }, id: "t1" };\n',
  'import { executePreToolHooks, getPreToolHookBlockingMessage, useHooks } from "hookloop/compat/production";': `const cwd = process.cwd();
const [toolUseID, command, toolUseContext, signal] = ["t1", "ls", {}, new AbortController().signal];
`,
  'import { executeToolWithHooks, registerHook } from "hookloop/compat/sampling";': `const safetyChecks = async (): Promise<void> => {};
const tool = { name: "Bash", execute: async (): Promise<string> => "ran" };
const input = { command: "ls" };
const context = {};
`,
  'import { registerHook } from "hookloop/compat/sampling";': "",
  'const { risk, facts, boundary, reading } = assessCommand("ls && git reset --hard", { cwd: "/srv/app", home: "/home/ada" });':
    'import { assessCommand } from "hookloop/shell";\n',
  'import { deny, hook } from "@hookloop/sdk";': "",
  'import { runHookFile } from "@hookloop/sdk/testing";': "",
};
/** What ends the function that a snippet with a `return` stands in. */
const AFTER: Readonly<Record<string, string>> = {
  "const begun = await hooks.begin(call, options);        // the options of runTool":
    "return result;\n})();\nif (done.status !== 'ran') process.exit(1);\n",
};
/** A hook script waits for an event. */
const STDIN = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "s",
  transcript_path: "",
  cwd: "/",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_use_id: "t",
});

/** What a snippet makes the engine say: there is no such hook here. */
const SAID: Readonly<Record<string, readonly string[]>> = { "const hooks = await openHooks({": ["HL_TRUST_WRONG_PIN"] };

/** The README's program for embedders is compiled elsewhere, and run here. */
const isElsewhere = ({ file, begins }: Snippet): boolean =>
  Object.keys(ELSEWHERE).some((one) => file.startsWith(one)) && !(file === "README.md" && begins.includes("openHooks"));
const OWN = SNIPPETS.filter((one) => !isElsewhere(one) && NO_PROGRAMS[one.begins] !== "signatures");

// Inside the repository, so that the packages are found.
const folder = mkdtempSync(path.resolve("node_modules/.snippets-"));
const home = mkdtempSync(path.join(tmpdir(), "hookloop-snippets-"));
afterAll(() => {
  for (const one of [folder, home]) rmSync(one, { recursive: true, force: true });
});
const nameOf = (snippet: Snippet): string => `snippet-${OWN.indexOf(snippet)}`;

test("every program of README and docs is compiled and run here, or by the test that is named, or is none for a reason", () => {
  const unknown = SNIPPETS.filter((one) => !isElsewhere(one) && NO_PROGRAMS[one.begins] === undefined && AROUND[one.begins] === undefined);
  expect(unknown.map(({ file, begins }) => `${file}: ${begins}`)).toEqual([]);
  expect(SNIPPETS.length).toBeGreaterThan(20);
  for (const begins of [...Object.keys(NO_PROGRAMS), ...Object.keys(AROUND)]) expect(SNIPPETS.map((one) => one.begins)).toContain(begins);
});

describe("programs of the reference", () => {
  let compiled: { readonly status: number | null; readonly stdout: string };

  beforeAll(() => {
    const guard = SNIPPETS.find(({ file }) => file === "packages/sdk/README.md")?.code.replace("\nhook(", "\nexport const guard = hook(");
    mkdirSync(path.join(folder, "out"));
    // What the reader has: the first for the compiler, the second to run.
    for (const name of ["guard.mts", "out/guard.mjs"]) writeFileSync(path.join(folder, name), guard ?? "");
    for (const one of OWN)
      writeFileSync(path.join(folder, `${nameOf(one)}.mts`), `${AROUND[one.begins]}${one.code}${AFTER[one.begins] ?? ""}`);
    const flags = [
      "--ignoreConfig",
      "--strict",
      "--allowJs",
      "--skipLibCheck",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--types",
      "node",
    ];
    const tsc = path.resolve("node_modules/typescript/bin/tsc");
    const all = OWN.map((one) => `${nameOf(one)}.mts`);
    compiled = spawnSync(process.execPath, [tsc, ...flags, "--outDir", "out", ...all], { cwd: folder, encoding: "utf8" });
  }, 60_000);

  test("compile under strict", () => {
    expect([compiled.stdout, compiled.status]).toEqual(["", 0]);
  });

  test.each(OWN)("$file: $begins runs", (snippet) => {
    const env = { PATH: process.env["PATH"], HOME: home, HOOK_SECRET: "secret", HOOK_LOG_DISABLE: "1" };
    const { status, stderr } = spawnSync(process.execPath, [`${nameOf(snippet)}.mjs`], {
      cwd: path.join(folder, "out"),
      encoding: "utf8",
      env,
      input: STDIN,
    });
    const said = SAID[snippet.begins];
    expect([said ? stderr.match(/^HL_\w+/gm) : stderr, status]).toEqual([said ?? "", 0]);
  });
});

/** Shell lines that are not run here, and why. */
const OTHER_LINES: Readonly<Record<string, string>> = {
  "npm ci": "what CI itself does",
  "sample() {": "examples-readme.process.test.ts",
  'echo \'{"mcpServers"': "elicitation.process.test.ts has its server and its call",
  "hookloop agent --mcp-config": "as above",
  "npx hookloop init": "init.process.test.ts",
  "npx hookloop test": "cases.process.test.ts",
  "npx hookloop run": "run-hook.process.test.ts, which makes the files",
  "hookloop run": "as above",
};
const LINES = FILES.filter((file) => !file.startsWith("docs/guide/")).flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, code = ""]) => code.trimEnd().split("\n")),
);

test.each(LINES.filter((line) => !Object.keys(OTHER_LINES).some((begin) => line.startsWith(begin))))("the line %s works", (line) => {
  const env = { ...process.env, HOME: home, PATH: `${path.resolve("node_modules/.bin")}:${process.env["PATH"]}` };
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line.replace(/^npx /, "")], { cwd: folder, encoding: "utf8", env });
  expect([stderr, status, stdout.length > 100]).toEqual(["", 0, true]);
});
