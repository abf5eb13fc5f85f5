// @ts-check
// Formats each file the agent has edited with the project's own formatter, for everyone who is tired of "fix formatting" commits.
// A formatter counts as the project's own if the project configures it; Go and Rust have only one. Files outside the project stay as they are.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { context, feedback, hook, tellUser } from "@hookloop/sdk";

const FORMATTERS = [
  {
    program: "biome",
    endings: /\.(?:[cm]?[jt]sx?|jsonc?|css|graphql)$/,
    config: /^biome\.jsonc?$/,
    args: ["format", "--write", "--no-errors-on-unmatched"],
  },
  {
    program: "prettier",
    endings: /\.(?:[cm]?[jt]sx?|jsonc?|s?css|less|html|vue|mdx?|ya?ml|graphql)$/,
    config: /^\.prettierrc|^prettier\.config\./,
    mention: { file: "package.json", text: '"prettier"' },
    args: ["--write", "--log-level=warn"],
  },
  {
    program: "ruff",
    endings: /\.pyi?$/,
    config: /^\.?ruff\.toml$/,
    mention: { file: "pyproject.toml", text: "[tool.ruff" },
    args: ["format"],
  },
  { program: "gofmt", endings: /\.go$/, args: ["-w"] },
  { program: "rustfmt", endings: /\.rs$/, args: ["--edition", "2021"] },
];

export const formatAfterEdit = hook(
  "PostToolUse",
  { name: "format-after-edit", tool: ["Edit", "Write", "MultiEdit"] },
  ({ tool_input, cwd }) => {
    const project = process.env.CLAUDE_PROJECT_DIR ?? cwd;
    const file = path.resolve(cwd, tool_input.file_path);
    const name = path.relative(project, file);
    if (name.startsWith("..")) return;
    const folders = foldersBetween(project, path.dirname(name));
    const formatter = FORMATTERS.find((candidate) => candidate.endings.test(file) && isConfigured(candidate, folders));
    if (!formatter) return;

    const before = readFileSync(file);
    const program = findProgram(formatter.program, folders);
    const { status, stdout, stderr, error } = spawnSync(program, [...formatter.args, file], {
      cwd: project,
      encoding: "utf8",
      timeout: 30_000,
    });
    if (error)
      return "code" in error && error.code === "ENOENT"
        ? undefined
        : tellUser(`${formatter.program} did not format ${name}: ${error.message}`);
    if (status !== 0) return feedback(`${formatter.program} cannot format ${name}:\n${`${stderr}\n${stdout}`.trim().slice(0, 2000)}`);
    if (!readFileSync(file).equals(before))
      return context(`${formatter.program} has reformatted ${name}. Read it again before the next edit.`);
  },
);

/** The folder of the file and those above it, up to the project's own. @param {string} project @param {string} folder relative to it */
function foldersBetween(project, folder) {
  const names = folder === "." ? [] : folder.split(path.sep);
  return [...names.keys(), names.length].map((depth) => path.join(project, ...names.slice(0, depth))).reverse();
}

/** @param {(typeof FORMATTERS)[number]} formatter @param {string[]} folders */
function isConfigured({ config, mention }, folders) {
  if (!config) return true;
  if (folders.some((folder) => readdirSync(folder).some((entry) => config.test(entry)))) return true;
  const mentions = mention ? folders.map((folder) => path.join(folder, mention.file)).filter((file) => existsSync(file)) : [];
  return mentions.some((file) => readFileSync(file, "utf8").includes(mention?.text ?? ""));
}

/** The project's own copy; a bare name is looked up in PATH. @param {string} program @param {string[]} folders */
function findProgram(program, folders) {
  return folders.map((folder) => path.join(folder, "node_modules", ".bin", program)).find((file) => existsSync(file)) ?? program;
}
