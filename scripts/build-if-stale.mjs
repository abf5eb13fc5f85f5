import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

const RESULT = "packages/hookloop/dist/schemas/settings.json";
const SOURCES = ["packages/sdk/src", "packages/hookloop/src", "scripts"];

/** Builds unless the last thing a build writes is newer than every source. */
export function buildIfStale() {
  const builtAt = existsSync(RESULT) ? statSync(RESULT).mtimeMs : 0;
  const files = SOURCES.flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => path.join(folder, file)));
  if (files.every((file) => statSync(file).mtimeMs <= builtAt)) return;
  console.log("Building …");
  execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
}
