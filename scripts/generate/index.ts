import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { formattedFiles } from "./formatted-files.ts";

for (const [file, content] of Object.entries(await formattedFiles())) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}
