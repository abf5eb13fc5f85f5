/**
 * Formats what the agent wrote, with the project's own formatter. The formatter gets the text and prints another one; the file is replaced here, and
 * only if it is still the one that was read. So a formatter that fails, hangs or is ended leaves every file as it was.
 */

import { isUtf8 } from "node:buffer";
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { context, type HookHandler, tellUser } from "@hookloop/sdk";
import { clause, toldOf } from "../diagnostic.ts";
import type { SessionPlace } from "../engine/index.ts";
import { diffHunks } from "../line-diff.ts";
import { isInFolders, isInside } from "../permissions/index.ts";
import { readStart, replaceFile } from "../state-files.ts";
import type { ShippedHook } from "./index.ts";
import {
  findProgram,
  foldersUp,
  hasName,
  type Json,
  jsonIn,
  packageManager,
  projectEnvironment,
  pythonAdd,
  textIn,
} from "./project-files.ts";
import { writtenFiles } from "./written-files.ts";

export interface FormatOnEditOptions {
  readonly only?: readonly string[] | undefined;
  readonly seconds?: number | undefined;
}

const SECONDS = 10;
/** Longer files are data. */
const MOST_BYTES = 1024 * 1024;
const MOST_PRINTED = 4 * MOST_BYTES;

type Place = Pick<SessionPlace, "cwd" | "home" | "env" | "directories" | "programs" | "report">;

interface Said {
  /** For the model: the file is another one now, or why it is not. */
  readonly context?: string;
  readonly tell?: string;
}

interface Task {
  readonly file: string;
  readonly root: string;
  readonly formatter: FoundFormatter;
  readonly program: string;
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

export function formatOnEdit(place: Place, { only = FORMATTER_NAMES, seconds = SECONDS }: FormatOnEditOptions = {}): ShippedHook {
  const missing = new Set<string>();
  const format: HookHandler<"PostToolUse", string> = async (call, { signal }) => {
    const endsAt = Date.now() + seconds * 1000;
    const tasks = writtenFiles(call, place.home).flatMap((file): readonly Task[] => {
      const root = rootOf(file, place.directories());
      const formatter = root === undefined ? undefined : formatterOf(file, root, only);
      if (root === undefined || formatter === undefined) return [];
      const program = findProgram(formatter.name, formatter.folders, place);
      if (program === undefined) reportMissing(place, formatter, missing);
      return program === undefined ? [] : [{ file, root, formatter, program, endsAt, signal }];
    });
    const said: Said[] = [];
    for (const task of tasks) said.push(await formatFile(task, place));
    const forModel = said.flatMap(({ context: text }) => text ?? []);
    const forUser = said.flatMap(({ tell }) => tell ?? []);
    if (forUser.length > 0) return context([...forModel].join("\n") || NOT_FORMATTED).with(tellUser(forUser.join("\n")));
    return forModel.length > 0 ? context(forModel.join("\n")) : undefined;
  };
  return { name: "format-on-edit", parts: [{ event: "PostToolUse", options: { timeoutMs: (seconds + 5) * 1000 }, handler: format }] };
}

const NOT_FORMATTED = "format-on-edit: the file is as you wrote it; it was not formatted.";

const FOREIGN = /(?:^|\/)(?:node_modules|\.git|\.venv|venv|vendor|target)\//;

/** The folder of the workspace that a file lies in, unless it is somebody else's code. */
function rootOf(file: string, directories: readonly string[]): string | undefined {
  const root = [...directories].sort((a, b) => b.length - a.length).find((folder) => isInside(folder, file));
  if (root === undefined || !isInFolders(file, directories)) return undefined;
  return FOREIGN.test(path.relative(root, file)) ? undefined : root;
}

function reportMissing({ report }: Place, { name, folder, folders, install }: FoundFormatter, missing: Set<string>): void {
  if (missing.has(name)) return;
  missing.add(name);
  const text = `format-on-edit: ${folder} configures ${name}, and ${name} is not installed, so files stay as they are written. To install it: ${install(folders)}`;
  report({ code: "HL_EXECUTE_SHIPPED_IDLE", level: "warning", text });
}

async function formatFile(task: Task, place: Place): Promise<Said> {
  const { file, root, formatter } = task;
  const shown = path.relative(root, file);
  const before = readStart(file, MOST_BYTES + 1);
  if (before === undefined || before.length > MOST_BYTES || !isUtf8(before)) return {};
  const { text, problem } = await formatted(task, before, place);
  if (problem !== undefined) {
    const why = `format-on-edit: ${shown} was not formatted: ${clause(toldOf(formatter.name, problem))}`;
    return { context: why, tell: why };
  }
  if (text === undefined || text === before.toString()) return {};
  // Someone wrote meanwhile, such as the model's next edit: theirs counts, and is formatted in its turn.
  const now = readStart(file, MOST_BYTES + 1);
  if (now === undefined || !now.equals(before)) return { context: `format-on-edit: ${shown} changed meanwhile, so it was not formatted.` };
  write(file, text);
  return { context: changeText(shown, formatter.name, before.toString(), text) };
}

/** The target of a link is replaced, not the link; a file keeps its mode. */
function write(file: string, text: string): void {
  const real = realpathSync(file);
  replaceFile(real, text, { mode: lstatSync(real).mode & 0o7777 });
}

async function formatted(
  { file, formatter, program, endsAt, signal }: Task,
  before: Buffer,
  { programs, env, cwd }: Place,
): Promise<{ readonly text?: string | undefined; readonly problem?: string }> {
  const { folder, folders, alsoFine = [], read } = formatter;
  const left = endsAt - Date.now();
  if (left <= 0) return { problem: "there was no time left" };
  const { stdout, stderr, exitCode, failure, isTruncated, isBinary } = await programs.run(
    {
      file: program,
      args: formatter.args(file, folders),
      isShell: false,
      env: projectEnvironment({ env, cwd }),
      cwd: folder,
      fallbackCwd: cwd,
      stdin: before,
      timeoutMs: left,
      limits: { stdoutBytes: MOST_PRINTED, stderrBytes: 64 * 1024 },
      signal,
    },
    { text: `the formatter ${formatter.name}`, endsWhole: true },
  );
  if (failure && failure.kind !== "exit") return { problem: failure.text };
  if (exitCode !== 0 && !alsoFine.includes(exitCode ?? -1))
    return { problem: firstLines(stderr || stdout) || `it ended with exit code ${exitCode}` };
  if (isTruncated) return { problem: "it printed more than a formatted file" };
  // SECURITY: a formatter that prints nothing would empty the file.
  if (isBinary || (stdout === "" && before.length > 0)) return { problem: "it printed no text" };
  try {
    return { text: read ? read(stdout) : stdout };
  } catch {
    return { problem: "what it printed cannot be read" };
  }
}

const MOST_LINES = 5;

function firstLines(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(0, MOST_LINES).join("\n").slice(0, 500);
}

const MOST_SHOWN = 40;

function changeText(file: string, name: string, before: string, after: string): string {
  const lines = diffHunks(before, after).flatMap((hunk) => [`@@ line ${hunk.newStart} @@`, ...hunk.lines]);
  const isWhole = lines.length <= MOST_SHOWN;
  const rest = isWhole ? [] : ["… (read the file to see the rest)"];
  return [`format-on-edit: ${name} has changed ${file} after you wrote it:`, ...lines.slice(0, MOST_SHOWN), ...rest].join("\n");
}

interface Formatter {
  readonly name: string;
  readonly formats: RegExp;
  /** Whether the folder configures it. */
  readonly isConfigured: (folder: string) => boolean;
  /** It reads the file's text from its input. The path is absolute. */
  readonly args: (file: string, folders: readonly string[]) => readonly string[];
  /** Exit codes besides 0 with which it has formatted. */
  readonly alsoFine?: readonly number[];
  /** From what it printed; the printed text itself if left out. Nothing: it changes nothing. */
  readonly read?: (stdout: string) => string | undefined;
  /** Used only where nothing else formats the file. */
  readonly isLast?: true;
  readonly install: (folders: readonly string[]) => string;
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/i;
const WEB = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|json[c5]?|css|scss|less|html?|mdx?|ya?ml|graphql|gql|hbs)$/i;
const BIOME = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|jsonc?|css|html?|graphql|gql)$/i;
const PYTHON = /\.pyi?$/i;

const ADD = { npm: "npm install --save-dev", pnpm: "pnpm add --save-dev", yarn: "yarn add --dev", bun: "bun add --dev" } as const;
const addPackage =
  (name: string) =>
  (folders: readonly string[]): string =>
    `${ADD[packageManager(folders)]} ${name}`;
const addPython =
  (name: string) =>
  (folders: readonly string[]): string =>
    `${pythonAdd(folders)} ${name}`;

/** Of two in one folder, the first. */
const FORMATTERS: readonly Formatter[] = [
  {
    name: "biome",
    formats: BIOME,
    isConfigured: (folder) => hasName(folder, /^\.?biome\.jsonc?$/),
    args: (file) => ["format", `--stdin-file-path=${file}`],
    install: addPackage("@biomejs/biome"),
  },
  {
    name: "prettier",
    formats: WEB,
    isConfigured: (folder) =>
      hasName(folder, /^(?:\.prettierrc(?:\..+)?|prettier\.config\.[cm]?[jt]s)$/) || isInPackage(folder, "prettier", ["prettier"]),
    args: (file) => ["--stdin-filepath", file],
    install: addPackage("prettier"),
  },
  {
    name: "eslint",
    formats: SCRIPT,
    isConfigured: (folder) =>
      hasName(folder, /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\..+)?)$/) || isInPackage(folder, "eslintConfig", []),
    args: (file) => ["--stdin", "--stdin-filename", file, "--fix-dry-run", "--format", "json"],
    // Something is left that it cannot fix.
    alsoFine: [1],
    read: fixedByEslint,
    isLast: true,
    install: addPackage("eslint"),
  },
  {
    name: "ruff",
    formats: PYTHON,
    isConfigured: (folder) => hasName(folder, /^\.?ruff\.toml$/) || /^\[tool\.ruff(?:\.|\])/m.test(textIn(folder, "pyproject.toml")),
    args: (file) => ["format", "--stdin-filename", file, "-"],
    install: addPython("ruff"),
  },
  {
    name: "black",
    formats: PYTHON,
    isConfigured: (folder) => /^\[tool\.black(?:\.|\])/m.test(textIn(folder, "pyproject.toml")),
    args: (file) => ["--quiet", "--stdin-filename", file, "-"],
    install: addPython("black"),
  },
  {
    name: "gofmt",
    formats: /\.go$/,
    isConfigured: (folder) => hasName(folder, /^go\.(?:mod|work)$/),
    args: () => [],
    install: () => "install Go (https://go.dev/dl)",
  },
  {
    name: "rustfmt",
    formats: /\.rs$/,
    isConfigured: (folder) => hasName(folder, /^(?:\.?rustfmt|Cargo)\.toml$/),
    args: (_file, folders) => ["--edition", editionOf(folders)],
    install: () => "rustup component add rustfmt",
  },
];

export const FORMATTER_NAMES: readonly string[] = FORMATTERS.map(({ name }) => name);

export interface FoundFormatter extends Formatter {
  /** The folder that configures it: it runs there. */
  readonly folder: string;
  /** From there up to the root: its program lies in one of these. */
  readonly folders: readonly string[];
}

/** The formatter of a file: that of the nearest folder which configures one. */
export function formatterOf(file: string, root: string, names: readonly string[]): FoundFormatter | undefined {
  const fitting = FORMATTERS.filter(({ name, formats }) => names.includes(name) && formats.test(file));
  if (fitting.length === 0) return undefined;
  const folders = foldersUp(path.dirname(file), root);
  for (const isLast of [undefined, true]) {
    for (const [at, folder] of folders.entries()) {
      const found = fitting.find((one) => one.isLast === isLast && one.isConfigured(folder));
      if (found) return { ...found, folder, folders: folders.slice(at) };
    }
  }
  return undefined;
}

function isInPackage(folder: string, key: string, packages: readonly string[]): boolean {
  const json = jsonIn(folder, "package.json");
  const wanted = { ...(json["dependencies"] as Json | undefined), ...(json["devDependencies"] as Json | undefined) };
  return json[key] !== undefined || packages.some((name) => Object.hasOwn(wanted, name));
}

function editionOf(folders: readonly string[]): string {
  const texts = folders.map((folder) => /^\s*edition\s*=\s*"(\d{4})"/m.exec(textIn(folder, "Cargo.toml"))?.[1]);
  return texts.find((text) => text !== undefined) ?? "2021";
}

function fixedByEslint(stdout: string): string | undefined {
  const [first] = JSON.parse(stdout) as readonly { readonly output?: unknown }[];
  return typeof first?.output === "string" ? first.output : undefined;
}
