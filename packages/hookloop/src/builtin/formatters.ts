/** The formatters that `format-on-edit` knows: by which files of a project each is configured, and how it formats its input to its output. */

import path from "node:path";
import { foldersUp, hasName, type Json, jsonIn, packageManager, pythonAdd, textIn } from "./project-files.ts";

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
