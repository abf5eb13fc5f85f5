// Plays two commands of a scripted model with a real agent; the hook blocks the first. Run by scripts/test-real.mjs.
//   node play.mjs PROGRAM PROJECT
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { scriptedModel } from "../../test/conformance/lab.mjs";

const [program, project] = process.argv.slice(2);
const bash = (id, command) => [{ type: "tool_use", id, name: "Bash", input: { command, description: "write a file" } }];
const model = await scriptedModel([
  bash("t1", "echo ran > blocked.txt"),
  bash("t2", "echo ran > free.txt"),
  [{ type: "text", text: "end" }],
]);
const { exit, stderr } = await runAgent();
model.close();

const sent = JSON.stringify(model.requests.map(({ body }) => body.messages));
const checks = {
  "the agent ended well": exit === 0,
  "the blocked command did not run": !existsSync(path.join(project, "blocked.txt")),
  "the model was told why": sent.includes("MARK-sdk-block"),
  "the other command ran": existsSync(path.join(project, "free.txt")),
};
for (const [what, holds] of Object.entries(checks)) console.log(`${holds ? "✓" : "✗"} ${what}`);
if (Object.values(checks).every(Boolean)) process.exit(0);
console.error(`exit ${exit}, ${model.requests.length} model calls\n${stderr}`);
process.exit(1);

function runAgent() {
  const flags = ["-p", "go", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash"];
  const env = {
    ...process.env,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
    ANTHROPIC_API_KEY: "not-a-key",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const child = spawn(program, flags, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  return new Promise((done) => {
    child.on("error", (error) => done({ exit: -1, stderr: error.message }));
    child.on("close", (exit) => done({ exit, stderr: `${stdout.slice(-2000)}\n${stderr.slice(-2000)}` }));
  });
}
