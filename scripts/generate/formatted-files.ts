import { execFileSync } from "node:child_process";
import { generatedFiles } from "./files.ts";

/** The generated files as they stand in the repository: TypeScript goes through the formatter. */
export async function formattedFiles(): Promise<Readonly<Record<string, string>>> {
  const files = Object.entries(await generatedFiles());
  return Object.fromEntries(files.map(([file, content]) => [file, file.endsWith(".ts") ? format(file, content) : content]));
}

function format(file: string, content: string): string {
  return execFileSync("node_modules/.bin/biome", ["format", `--stdin-file-path=${file}`], {
    input: content,
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
}
