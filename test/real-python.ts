/** Before all tests: a shim (of pyenv, of asdf) takes three times as long as the Python that it starts, and tests start it hundreds of times. */
import { spawnSync } from "node:child_process";
import path from "node:path";

export function setup(): void {
  const { stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  const folder = path.dirname(stdout?.trim() ?? "");
  const searched = process.env["PATH"] ?? "";
  // Where it is found already, nothing else must come before its neighbours.
  if (path.isAbsolute(folder) && !searched.split(path.delimiter).includes(folder))
    process.env["PATH"] = `${folder}${path.delimiter}${searched}`;
}
