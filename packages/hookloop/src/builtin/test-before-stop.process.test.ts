import { describe, expect, test } from "vitest";
import { continueTexts, type FlowLab, openFlowLab } from "./flow-lab.test-suite.ts";
import { testCommand } from "./test-before-stop-hook.ts";

const use = (command: string, more: object = {}): readonly [object] => [{ name: "test-before-stop", command, ...more }];
const edit = async (lab: FlowLab): Promise<unknown> => await lab.after("Write", { file_path: lab.write("a.txt", "x"), content: "x" });
const idle = ({ diagnostics }: FlowLab): readonly string[] => {
  return diagnostics.filter(({ code }) => code === "HL_EXECUTE_SHIPPED_IDLE").map(({ text }) => text);
};

test("tests that fail keep the agent going, with the end of their output", async () => {
  const lab = await openFlowLab(use("seq 1 5000; echo 'expected 1, got 2' >&2; exit 1") as never);
  await edit(lab);
  const [text = ""] = continueTexts(await lab.stop());
  expect(text).toMatch(/^test-before-stop: the tests failed \(exit code 1\)\. Fix /);
  expect(text).toMatch(/\n4999\n5000\nexpected 1, got 2$/);
  expect(text.length).toBeLessThan(4400);
});

test("they run only if something may have changed since they passed", async () => {
  const lab = await openFlowLab(use("echo run >> runs; ! test -e red") as never);
  const runs = (): number => (lab.read("runs") ?? "").split("\n").length - 1;
  await lab.stop();
  await lab.after("Bash", { command: "ls && git status | cat" });
  await lab.after("Read", { file_path: "/x" });
  await lab.stop();
  expect(runs()).toBe(0);
  await edit(lab);
  await lab.stop();
  await lab.stop();
  expect(runs()).toBe(1);
  lab.write("red", "");
  await lab.after("Bash", { command: "sed -i s/a/b/ a.txt" });
  expect(continueTexts(await lab.stop())).toHaveLength(1);
  expect(continueTexts(await lab.stop())).toHaveLength(1);
  expect(runs()).toBe(3);
  await lab.hooks.fire("PostToolUseFailure", { tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: "t", error: "x" });
  expect(continueTexts(await lab.stop())).toHaveLength(1);
});

test("tests that hang are ended at the limit, with all that they started, and count as failed", async () => {
  const lab = await openFlowLab(use("echo waiting; trap '' TERM; sleep 61 & sleep 60", { seconds: 0.3 }) as never);
  await edit(lab);
  const begun = performance.now();
  const [text = ""] = continueTexts(await lab.stop());
  expect(text).toMatch(/the tests did not end within 300 ms\.[\s\S]*waiting$/);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test("a session that closes ends tests that run", async () => {
  const lab = await openFlowLab(use("touch begun; sleep 60") as never);
  await edit(lab);
  const begun = performance.now();
  const stopping = lab.stop();
  while (lab.read("begun") === undefined) await new Promise((wait) => setTimeout(wait, 10));
  await lab.hooks.close();
  await stopping;
  expect(performance.now() - begun).toBeLessThan(20_000);
});

test("a command that is not there is told once, with the cure, and the agent may stop", async () => {
  const lab = await openFlowLab(use("no-such-runner --all") as never);
  for (let time = 0; time < 2; time++) {
    await edit(lab);
    expect(continueTexts(await lab.stop())).toEqual([]);
  }
  expect(idle(lab)).toEqual([expect.stringMatching(/"no-such-runner --all" could not be run \(.*not found\)\. Name the command/)]);
});

test("a project without tests is told once", async () => {
  const lab = await openFlowLab(["test-before-stop"]);
  await edit(lab);
  await lab.stop();
  await lab.stop();
  expect(idle(lab)).toEqual([expect.stringContaining("no tests were found")]);
});

test("the tests get no secrets, except those that the option names", async () => {
  const env = { PATH: "/usr/bin:/bin", MY_TOKEN: "t-1", DB_PASSWORD: "d-1", ANTHROPIC_API_KEY: "k-1" };
  const lab = await openFlowLab(use("env > seen", { passEnv: ["DB_PASSWORD", "ANTHROPIC_API_KEY"] }) as never, {}, { ports: { env } });
  await edit(lab);
  await lab.stop();
  expect(lab.read("seen")).toContain("DB_PASSWORD=d-1");
  expect(lab.read("seen")).not.toMatch(/t-1|k-1/);
});

describe("the command is found by the project's files:", () => {
  test.each([
    [{ "package.json": '{"scripts": {"test": "vitest run"}}' }, "npm run test"],
    [{ "package.json": '{"scripts": {"test": "vitest run"}}', "pnpm-lock.yaml": "" }, "pnpm run test"],
    [{ "package.json": '{"scripts": {"test": "x"}}', "yarn.lock": "" }, "yarn run test"],
    [{ "package.json": '{"scripts": {"test": "x"}}', "bun.lock": "" }, "bun run test"],
    [{ "package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}' }, undefined],
    [{ "package.json": "{}", "pytest.ini": "" }, "pytest"],
    [{ "pyproject.toml": "[tool.pytest.ini_options]\n", "uv.lock": "" }, "uv run pytest"],
    [{ "setup.cfg": "[tool:pytest]\n", "poetry.lock": "" }, "poetry run pytest"],
    [{ "go.mod": "module x\n" }, "go test ./..."],
    [{ "Cargo.toml": "[package]\n" }, "cargo test"],
    [{ "README.md": "" }, undefined],
  ])("%j gives %s", async (files, expected) => {
    const { project } = await openFlowLab([], files as unknown as Record<string, string>);
    expect(testCommand(project)).toBe(expected);
  });
});
