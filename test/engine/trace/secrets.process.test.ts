import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../packages/hookloop/src/trace/redact.ts";
import { createTraceWriter } from "../../../packages/hookloop/src/trace/trace-writer.ts";
import { bash, hooksFor, openProject, type Project } from "../open-project.ts";

const SECRET = 'correct "horse" / bättery';
const ENV = { DB_PASSWORD: SECRET, HARMLESS: "stays" };

/** Every spelling in which it may turn up, and its two halves. */
const SPELLINGS = [
  SECRET,
  encodeURIComponent(SECRET),
  JSON.stringify(SECRET).slice(1, -1),
  Buffer.from(SECRET).toString("base64"),
  Buffer.from(SECRET).toString("base64url"),
];

interface Traced {
  readonly project: Project;
  readonly trace: string;
}

/** Fires one event at a hook of the user, which gets the variable, and gives what the trace file holds. */
async function traced(
  event: "PreToolUse" | "UserPromptSubmit",
  command: string,
  beforeItCloses: (project: Project) => void = () => {},
): Promise<Traced> {
  const project = openProject({ user: hooksFor(event, command) });
  const file = path.join(path.dirname(project.cwd), "state", "trace.jsonl");
  const writer = createTraceWriter({ file, redactor: createRedactor(ENV) });
  const hooks = await project.open({ ports: { env: ENV, trace: writer } });
  await hooks.fire(event, event === "PreToolUse" ? bash("ls") : { prompt: "hello" });
  beforeItCloses(project);
  await hooks.close();
  writer.close();
  return { project, trace: readFileSync(file, "utf8") };
}

function expectClean(text: string): void {
  const found = SPELLINGS.filter((spelling) => text.includes(spelling) || text.includes(JSON.stringify(spelling).slice(1, -1)));
  expect(found).toEqual([]);
}

describe("a secret that a hook repeats is not in the trace", () => {
  test.each([
    ["on stdout", 'printf "%s" "$DB_PASSWORD"'],
    ["on stdout, in two chunks", `printf "%s" "$DB_PASSWORD" | head -c 9; sleep 0.1; printf "%s" "$DB_PASSWORD" | tail -c +10`],
    ["on stderr with a denial", 'echo "cannot log in with $DB_PASSWORD" >&2; exit 2'],
    ["in an error", 'echo "cannot log in with $DB_PASSWORD" >&2; exit 1'],
    ["in an error that is shortened", `printf '%0280d ' 0 >&2; echo "$DB_PASSWORD" >&2; exit 1`],
    ["as base64", 'printf "%s" "$DB_PASSWORD" | base64 -w0'],
    ["inside of base64", 'printf "user:%s" "$DB_PASSWORD" | base64 -w0'],
    ["in an address", `exec node -e 'console.log("https://x/?q=" + encodeURIComponent(process.env.DB_PASSWORD))'`],
    ["as JSON", `exec node -e 'console.log(JSON.stringify({systemMessage: JSON.stringify(process.env.DB_PASSWORD)}))'`],
    ["in a broken JSON", `exec node -e 'console.log(JSON.stringify({systemMessage: process.env.DB_PASSWORD}) + "}")'`],
  ])("%s", async (_where, command) => {
    const { trace } = await traced("UserPromptSubmit", command);
    expectClean(trace);
    expect(trace).not.toContain("bättery");
    expect(trace).not.toMatch(/correct \\*"hor/);
    for (const line of trace.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
  });

  test("and what else it said is", async () => {
    const { trace } = await traced("UserPromptSubmit", 'echo "before $DB_PASSWORD after"');
    expect(trace).toContain("before [redacted] after");
  });
});

test("a long text with a secret at both ends is saved without it, 0600 in 0700 with umask 000", async () => {
  const before = process.umask(0);
  try {
    const command = `exec node -e 'console.log(process.env.DB_PASSWORD + "x".repeat(20000) + process.env.DB_PASSWORD)'`;
    await traced("UserPromptSubmit", command, ({ cwd }) => {
      const base = path.dirname(cwd);
      const folders = readdirSync(base).filter((name) => name.startsWith("hookloop-"));
      const files = folders.flatMap((folder) => readdirSync(path.join(base, folder)).map((name) => path.join(base, folder, name)));
      const texts = files.filter((file) => file.endsWith(".txt"));
      expect(texts).toHaveLength(1);
      const [file = ""] = texts;
      expectClean(readFileSync(file, "utf8"));
      const modes = [file, path.dirname(file), path.join(base, "state"), path.join(base, "state", "trace.jsonl")].map((one) =>
        (statSync(one).mode & 0o777).toString(8),
      );
      expect(modes).toEqual(["600", "700", "700", "600"]);
    });
  } finally {
    process.umask(before);
  }
});

test("a link planted where the trace goes is not followed, and decisions are not affected", async () => {
  const project = openProject({ user: hooksFor("PreToolUse", "exit 2") });
  const base = path.dirname(project.cwd);
  const victim = path.join(base, "victim");
  symlinkSync(victim, path.join(base, "planted"));
  const problems: string[] = [];
  const writer = createTraceWriter({ file: path.join(base, "planted", "trace.jsonl"), onProblem: ({ code }) => problems.push(code) });
  const hooks = await project.open({ ports: { trace: writer } });
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  expect([problems, existsSync(victim)]).toEqual([["HL_TRACE_WRITE_FAILED"], false]);
});

test("what the user approves stays readable: command and path are not hidden", () => {
  const { value } = createRedactor({ ...ENV, KUBECONFIG: "/home/user/.kube/config" });
  const call = {
    tool_name: "Bash",
    tool_input: { command: "rm -rf /srv/data && cat /home/user/.kube/config", file_path: "/srv/secret/plan.md" },
  };
  expect(value(call)).toBe(call);
});
