import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generatedFiles } from "./files.ts";

for (const [file, content] of Object.entries(generatedFiles())) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}
execFileSync("node_modules/.bin/biome", ["format", "--write", "packages/sdk/src/generated"], { stdio: "inherit" });
