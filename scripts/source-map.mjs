import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOTS = ["packages/hookloop/src", "packages/sdk/src"];
const NOT_SOURCE = /\.(?:test|test-suite|test-d)\.ts$|\/generated\//;
const NAMED = /^(?:import|export)\s+(?:type\s+)?(?:\w+,\s*)?\{([^}]*)\}\s*from\s+"(\.[^"]+)"/gm;
const WHOLE = /^import\s+(?:(?:type\s+)?\*\s+as\s+\w+\s+from\s+)?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

/**
 * Every source file with its lines and what it imports. A name that comes through a folder's `index.ts` counts as imported from the file that
 * has it, since that is the file one has to open.
 * @returns {Map<string, { file: string, folder: string, lines: number, imports: { file: string, through: string, isType: boolean }[] }>}
 */
export function readSources() {
  const texts = new Map();
  for (const root of ROOTS)
    for (const name of readdirSync(root, { recursive: true }).map(String)) {
      const file = path.posix.join(root, name);
      if (file.endsWith(".ts") && !NOT_SOURCE.test(`/${file}`)) texts.set(file, readFileSync(file, "utf8"));
    }
  const sources = new Map();
  for (const [file, text] of texts)
    sources.set(file, { file, folder: path.posix.dirname(file), lines: text.split("\n").length - 1, imports: importsOf(file, texts) });
  return sources;
}

function importsOf(file, texts) {
  const found = [];
  for (const { name, isType, from } of namesIn(file, texts)) found.push({ file: originOf(from, name, texts), through: from, isType });
  for (const [, plain, lazy] of texts.get(file).matchAll(WHOLE)) {
    const from = target(file, plain ?? lazy);
    if (texts.has(from)) found.push({ file: from, through: from, isType: false });
  }
  return found;
}

function namesIn(file, texts) {
  return [...texts.get(file).matchAll(NAMED)].flatMap(([statement, names, specifier]) => {
    const from = target(file, specifier);
    if (!texts.has(from)) return [];
    const isTypeOnly = /^\w+\s+type\s/.test(statement);
    return names
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .map((one) => ({ name: one.replace(/^type\s+/, "").split(/\s+as\s+/)[0], isType: isTypeOnly || one.startsWith("type "), from }));
  });
}

/** The file that declares a name which `from` exports. */
function originOf(from, name, texts) {
  if (!from.endsWith("/index.ts")) return from;
  for (const [statement, names, specifier] of texts.get(from).matchAll(NAMED)) {
    const exported = names.split(",").map((one) =>
      one
        .trim()
        .replace(/^type\s+/, "")
        .split(/\s+as\s+/)
        .at(-1),
    );
    if (statement.startsWith("export") && exported.includes(name)) return originOf(target(from, specifier), name, texts);
  }
  return from;
}

function target(file, specifier) {
  return path.posix.join(path.posix.dirname(file), specifier);
}

/** How many files import each file; its folder's `index.ts` and the package's doors do not count. */
export function importersOf(sources) {
  const importers = new Map([...sources.keys()].map((file) => [file, new Set()]));
  for (const { file, imports } of sources.values())
    if (!/\/(?:index|src\/shell|src\/trace)\.ts$/.test(file)) for (const one of imports) importers.get(one.file)?.add(file);
  return importers;
}

export function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
