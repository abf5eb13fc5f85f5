import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

export function writeFiles(files: Readonly<Record<string, string>>): void {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, formatted(file, content));
  }
}

/** The file as it stands in the repository: TypeScript goes through the formatter. */
export function formatted(file: string, content: string): string {
  if (!file.endsWith(".ts")) return content;
  return execFileSync("node_modules/.bin/biome", ["format", `--stdin-file-path=${file}`], {
    input: content,
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
}
