/** Runs the project's tests when the agent wants to stop and something may have changed since they last passed. If they fail, it continues. */

import path from "node:path";
import { block, type HookHandler } from "@hookloop/sdk";
import type { SessionPlace } from "../engine/index.ts";
import { durationText, systemProgram } from "../run/index.ts";
import type { ShippedHook } from "./index.ts";
import { hasName, type Json, jsonIn, packageManager, programFolders, projectEnvironment, textIn } from "./project-files.ts";
import { type EndedCall, mayChange } from "./written-files.ts";

export interface TestBeforeStopOptions {
  readonly command?: string | undefined;
  readonly seconds?: number | undefined;
  readonly passEnv?: readonly string[] | undefined;
}

const SECONDS = 300;

type Place = Pick<SessionPlace, "cwd" | "home" | "env" | "programs" | "report">;

export function testBeforeStop(place: Place, { command, seconds = SECONDS, passEnv = [] }: TestBeforeStopOptions = {}): ShippedHook {
  const { cwd, home, report } = place;
  let isChanged = false;
  const told = new Set<string>();
  const tellOnce = (text: string): undefined => {
    if (!told.has(text)) report({ code: "HL_EXECUTE_SHIPPED_IDLE", level: "warning", text: `test-before-stop: ${text}` });
    told.add(text);
  };
  const note = (call: EndedCall): undefined => {
    isChanged ||= mayChange(call, home);
  };
  const onCall: HookHandler<"PostToolUse", string> = (call) => note(call);
  const onFailedCall: HookHandler<"PostToolUseFailure", string> = (call) => note(call);
  const onStop: HookHandler<"Stop"> = async (_input, { signal }) => {
    if (!isChanged) return undefined;
    const line = command ?? testCommand(cwd);
    if (line === undefined) return tellOnce(NO_COMMAND);
    // What changes while they run is not tested.
    isChanged = false;
    const run = await runTests(line, { place, seconds, passEnv, signal });
    if (run.kind === "not-run") return tellOnce(`"${line}" could not be run (${run.why}). ${CURE}`);
    if (run.kind === "green") return undefined;
    isChanged = true;
    return run.kind === "red" ? block(redText(line, run.why, run.output)) : undefined;
  };
  const timeoutMs = (seconds + 10) * 1000;
  return {
    name: "test-before-stop",
    parts: [
      { event: "PostToolUse", handler: onCall },
      { event: "PostToolUseFailure", handler: onFailedCall },
      { event: "Stop", options: { timeoutMs }, handler: onStop },
    ],
  };
}

const CURE = 'Name the command that runs them: {"name": "test-before-stop", "command": "…"} in "use".';
const NO_COMMAND = `no tests were found (package.json, pytest, go.mod, Cargo.toml). ${CURE}`;

/** The command that runs the project's tests, by its own files. */
export function testCommand(folder: string): string | undefined {
  const script = ((jsonIn(folder, "package.json")["scripts"] ?? {}) as Json)["test"];
  // What `npm init` writes is no test.
  if (typeof script === "string" && script.trim() !== "" && !script.includes("no test specified"))
    return `${packageManager([folder])} run test`;
  if (hasPytest(folder)) return pytestCommand(folder);
  if (hasName(folder, /^go\.mod$/)) return "go test ./...";
  return hasName(folder, /^Cargo\.toml$/) ? "cargo test" : undefined;
}

function hasPytest(folder: string): boolean {
  return (
    hasName(folder, /^(?:\.?pytest\.(?:ini|toml)|conftest\.py)$/) ||
    /^\[tool\.pytest(?:\.|\])/m.test(textIn(folder, "pyproject.toml")) ||
    /^\[pytest\]/m.test(textIn(folder, "tox.ini")) ||
    /^\[tool:pytest\]/m.test(textIn(folder, "setup.cfg"))
  );
}

function pytestCommand(folder: string): string {
  if (hasName(folder, /^uv\.lock$/)) return "uv run pytest";
  return hasName(folder, /^poetry\.lock$/) ? "poetry run pytest" : "pytest";
}

interface TestRunOptions {
  readonly place: Place;
  readonly seconds: number;
  readonly passEnv: readonly string[];
  readonly signal: AbortSignal;
}

type TestRun =
  | { readonly kind: "green" }
  | { readonly kind: "aborted" }
  | { readonly kind: "red"; readonly why: string; readonly output: string }
  | { readonly kind: "not-run"; readonly why: string };

async function runTests(line: string, { place, seconds, passEnv, signal }: TestRunOptions): Promise<TestRun> {
  const { cwd, programs } = place;
  const shell = systemProgram("sh", { env: place.env, root: cwd });
  if (shell === undefined) return { kind: "not-run", why: "there is no shell" };
  const env = projectEnvironment(place, passEnv);
  const search = [...programFolders([cwd]), env["PATH"] ?? ""].join(path.delimiter);
  const tail = createTail();
  const end = await programs.run(
    {
      file: shell,
      // One stream, in order; and nothing to wait for on the input.
      args: ["-c", `exec </dev/null 2>&1\n${line}`],
      isShell: true,
      // Many runners watch the files and never end unless they are told that nobody looks on.
      env: { CI: "true", ...env, PATH: search },
      cwd,
      fallbackCwd: cwd,
      stdin: Buffer.alloc(0),
      timeoutMs: seconds * 1000,
      onOutput: (chunk) => tail.add(chunk),
      signal,
    },
    { text: "the tests", endsWhole: true },
  );
  const { failure, exitCode } = end;
  if (failure?.kind === "aborted") return { kind: "aborted" };
  const output = tail.text();
  if (failure?.kind === "could-not-start" || exitCode === 127 || exitCode === 126)
    return { kind: "not-run", why: lastLine(output) || (failure?.text ?? "") };
  if (failure?.kind === "timeout") return { kind: "red", why: `did not end within ${durationText(seconds * 1000)}`, output };
  if (exitCode === 0) return { kind: "green" };
  return { kind: "red", why: exitCode === null ? "were ended by a signal" : `failed (exit code ${exitCode})`, output };
}

const TAIL_BYTES = 4000;

/** The end of what was printed: that is where runners say what failed. */
function createTail(): { add(chunk: Buffer): void; text(): string } {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      kept = Buffer.concat([kept, chunk]).subarray(-TAIL_BYTES);
    },
    text: () => kept.toString().replace(/^�+/, "").trim(),
  };
}

function lastLine(text: string): string {
  return text.split("\n").at(-1)?.trim().slice(0, 200) ?? "";
}

function redText(line: string, why: string, output: string): string {
  return `test-before-stop: the tests ${why}. Fix what your changes broke before you stop.\n$ ${line}\n${output || "(they printed nothing)"}`;
}
