#!/usr/bin/env node
// How many files of hookloop one Bash call with one command hook runs through, by V8's own coverage, and how many functions. Build first.
//   npm run touched [-- --list]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import inspector from "node:inspector/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openHooks } from "../packages/hookloop/dist/index.js";

const DIST = new URL("../packages/hookloop/dist/", import.meta.url).href;
const folder = mkdtempSync(path.join(tmpdir(), "hookloop-touched-"));
// Nothing of the developer's own configuration takes part.
process.env.HOME = folder;
for (const name of ["XDG_CONFIG_HOME", "XDG_STATE_HOME"]) delete process.env[name];
try {
  writeFileSync(path.join(folder, "guard.sh"), "cat >/dev/null\n");
  const hook = { type: "command", command: `sh ${path.join(folder, "guard.sh")}` };
  const hooks = await openHooks({
    cwd: folder,
    trust: "implicit",
    settings: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] }, permissions: { deny: ["Bash(git push *)"] } },
  });
  const call = (id) => ({ tool_name: "Bash", tool_input: { command: "npm test" }, tool_use_id: id });
  const response = { stdout: "", stderr: "", interrupted: false, isImage: false };
  // What is loaded and compiled at the first call is not part of a call.
  await hooks.runTool(call("1"), () => response);

  const session = new inspector.Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const { status } = await hooks.runTool(call("2"), () => response);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await hooks.close();
  if (status !== "ran") throw new Error(`The call was ${status}: this measures nothing.`);

  const touched = result
    .filter(({ url }) => url.startsWith(DIST))
    .map(({ url, functions }) => ({
      file: url.slice(DIST.length),
      functions: functions.filter(({ functionName, ranges }) => functionName !== "" && ranges[0].count > 0).length,
    }))
    .filter(({ functions }) => functions > 0);
  if (process.argv.includes("--list")) for (const { file, functions } of touched) console.log(String(functions).padStart(5), file);
  console.log(`${touched.length} files, ${touched.reduce((sum, { functions }) => sum + functions, 0)} functions`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
