// Takes the text of a script; gives the words in it that may name a file, and whether it loads something that its text does not name.
import { isBuiltin } from "node:module";
import type { Family } from "../pin/index.ts";

/** A word of a script that may name a file or folder. */
export interface Word {
  readonly path: string;
  /** It stands where code is loaded or started, so that it counts also if it is not there yet. */
  readonly isLoad: boolean;
  /** Its folder stands in a variable: it can be any that the script names. */
  readonly isTail: boolean;
  /** If it is a folder, modules are looked for in it. */
  readonly isSearched: boolean;
  /** If it is a folder, its entries are gone through. */
  readonly isListed: boolean;
}

/** SECURITY: a project names what it likes; more than this is not looked at. */
const MAX_WORDS = 3000;

/** Stands for what only the running script knows. */
const SOMETHING = "\uFFFF";
const LOADS =
  /(?:^|[\s;&|({"'`])(?:source|\.)[\s"']|\b(?:import\w*|require\w*|from|load\w*|include\w*|exec\w*|spawn\w*|fork|system|popen|do|use|eval|bash|sh|dash|zsh|ksh|node|bun|deno|tsx|python[\d.]*|perl|ruby|php|lua|awk|sed|jq|URL)\b|\s-\w*f\b|__dirname|dirname/;
/** A folder in such a line is one that code is taken from. */
const SEARCHES =
  /sys\.path|addsitedir|\b(?:PYTHONPATH|NODE_PATH|PERL5LIB|RUBYLIB|LUA_PATH|GOPATH|LOAD_PATH|PATH)\b|\buse\s+lib\b|\b(?:perl|ruby|lua|luajit|tclsh)\b.*\s-[IL]|\$:|\bgo\s+run\b|run-parts|\bsource\b|(?:^|[\s;&|])\.\s/;
/** The same, if the script loads something that it does not name. */
const LISTS = /\bfor\b.*\bin\b|readdir|listdir|iterdir|scandir|opendir|glob/;

/** Every word that may be a path. What stands in a variable is left open: the rest of the word says enough. */
export function wordsOf(text: string): readonly Word[] {
  const found = new Map<string, Word>();
  const add = (word: Word): void => {
    if (word.path === "" || /^[./~-]*$/.test(word.path) || found.size >= MAX_WORDS) return;
    const known = found.get(word.path);
    found.set(word.path, known ? merged(known, word) : word);
  };
  for (const line of opened(text).split("\n")) {
    const isLoad = LOADS.test(line);
    const isSearched = SEARCHES.test(line);
    const isListed = LISTS.test(line);
    for (const [run] of line.matchAll(/\uFFFF?[\w@.+#~/-]+/g)) {
      const isTail = run.startsWith(SOMETHING);
      const path = isTail ? run.slice(1).replace(/^\/+/, "") : run;
      for (const one of ends(path)) add({ path: one.replace(/(?<=.)\/+$/, ""), isLoad, isTail, isSearched, isListed });
    }
    for (const [, , path = ""] of line.matchAll(/(["'`])([^"'`]{1,200})\1/g))
      if (path.includes(" ") && !path.includes(SOMETHING)) add({ path, isLoad: false, isTail: false, isSearched: false, isListed: false });
  }
  const isListed = LISTS.test(text);
  const isSearched = /sys\.path|addsitedir/.test(text);
  for (const path of joined(text)) add({ path, isLoad: true, isTail: true, isSearched, isListed });
  return [...found.values()];
}

function merged(one: Word, other: Word): Word {
  return {
    path: one.path,
    isLoad: one.isLoad || other.isLoad,
    isTail: one.isTail || other.isTail,
    isSearched: one.isSearched || other.isSearched,
    isListed: one.isListed || other.isListed,
  };
}

/** Variables and substitutions become one mark; a quote that ends behind one belongs to the word. */
function opened(text: string): string {
  let open = text;
  for (let depth = 0; depth < 3; depth++)
    open = open.replace(/\$\{[^{}\n]{0,200}\}|\$\([^()\n]{0,200}\)|\$[A-Za-z_]\w*|\$[@*#\d]/g, SOMETHING);
  return open.replace(/\uFFFF["']+(?=\/)/g, SOMETHING);
}

/** `-Ilib` and `-qfpatterns.txt`: any end of a short option may be its value. */
function ends(word: string): readonly string[] {
  return /^-[A-Za-z]/.test(word) ? [2, 3, 4].map((start) => word.slice(start)) : [word];
}

/** `path.join(here, "..", "lib", "rules.txt")` and `here / "lib" / "rules.txt"`. */
function joined(text: string): readonly string[] {
  const lists = text.matchAll(
    /(?:(?:"[\w@.+~/-]{1,100}"|'[\w@.+~/-]{1,100}')\s*[,/+]\s*){1,8}(?:"[\w@.+~/-]{1,100}"|'[\w@.+~/-]{1,100}')/g,
  );
  return [...lists].slice(0, 200).flatMap(([list]) => {
    const parts = [...list.matchAll(/["']([^"']+)["']/g)].map(([, part = ""]) => part);
    return parts.slice(0, -1).map((_, start) =>
      parts
        .slice(start)
        .join("/")
        .replace(/\/{2,}/g, "/"),
    );
  });
}

/** What JavaScript imports by name. */
export interface Imports {
  /** `./rules`, `../lib/rules.js`. */
  readonly relative: readonly string[];
  /** `#rules`: the package.json says what it is. */
  readonly hasOwn: boolean;
  /** Packages, wherever they are installed. */
  readonly packages: readonly string[];
}

export function importsOf(text: string): Imports {
  const calls = text.matchAll(/\b(?:from|import|require(?:\.resolve)?)\s*\(?\s*["'`]([^"'`\n]{1,200})["'`]/g);
  const names = [...new Set([...calls].slice(0, MAX_WORDS).map(([, name = ""]) => name))];
  return {
    relative: names.filter((name) => /^\.{1,2}(?:\/|$)/.test(name)),
    hasOwn: names.some((name) => name.startsWith("#")),
    packages: names.filter((name) => /^[\w@]/.test(name) && !name.startsWith("node:") && !isBuiltin(name) && !name.includes("://")),
  };
}

/** Modules of Python by their path: `lib/rules` of `import lib.rules`, `from lib import rules` and `-m lib.rules`. */
export function modulesOf(text: string): readonly string[] {
  const froms = [...text.matchAll(/(?:^|[;\n])[^\S\n]*from\s+(\.*)([\w.]*)\s+import\s+\(?([\w., \t]*)/g)].flatMap(
    ([, , from = "", list = ""]) => [from, ...list.split(",").map((name) => `${from}.${/^\s*(\w*)/.exec(name)?.[1] ?? ""}`)],
  );
  const plain = [...text.matchAll(/(?:^|[;\n])[^\S\n]*import\s+([\w., \t]+)/g)].flatMap(([, list = ""]) =>
    list.split(",").map((name) => /^\s*([\w.]*)/.exec(name)?.[1] ?? ""),
  );
  return [...new Set([...froms, ...plain].map((name) => name.replace(/^\.+|\.+$/g, "").replaceAll(".", "/")))]
    .filter(Boolean)
    .slice(0, 400);
}

/** `python3 -m lib.rules`. */
export function startedModules(text: string): readonly string[] {
  return [...text.matchAll(/\bpy[\w.]*["']?(?:[\s,]+["']?-[A-Za-z]*)*?[\s,]+["']?-[A-Za-z]*m["']?[\s,]*["']?([A-Za-z_][\w.]*)/g)]
    .slice(0, 50)
    .map(([, name = ""]) => name.replaceAll(".", "/"));
}

const OPEN_JAVASCRIPT = /\b(?:import|require)\s*\(\s*(?:[^"'`\s)]|`[^`]{0,200}\$\{)/;
const OPEN_CALL = /\b(?:exec|spawn|fork)\w*\s*\(\s*[^"'`\s)]/;
const OPEN_PYTHON =
  /\b(?:importlib|__import__|runpy|exec_module|execfile)\b|(?<![\w.])(?:exec|eval)\s*\(|\b(?:subprocess\.\w+|os\.(?:system|popen|exec\w*))\s*\(\s*[^["'\s]/;
const SHELL_LOAD =
  /(?:^|[;&|({\s])(?:source|\.|eval|exec|bash|sh|dash|zsh|ksh|node|python[\d.]*|perl|ruby)\s+(?:-\w+\s+)*["']?\uFFFF\/?([\w@.+~/-]*)/gm;

/** Whether a script loads or starts something that its text does not name. `isKnown`: the end of a path is enough to find it. */
export function loadsUnnamed(text: string, family: Family | undefined, isKnown: (tail: string) => boolean): boolean {
  if (family === undefined) return false;
  if (family === "javascript") return OPEN_JAVASCRIPT.test(text) || (text.includes("child_process") && OPEN_CALL.test(text));
  if (family === "python") return OPEN_PYTHON.test(text);
  // Of the other languages nobody reads what they load.
  if (family !== "shell") return true;
  return [...opened(text).matchAll(SHELL_LOAD)].some(([, tail = ""]) => tail === "" || !isKnown(tail));
}
