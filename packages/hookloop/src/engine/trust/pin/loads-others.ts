import { existsSync } from "node:fs";
import path from "node:path";

type Language = "shell" | "javascript" | "python" | "ruby" | "perl" | "php";

const LANGUAGES: readonly (readonly [Language, extension: RegExp, interpreter: RegExp])[] = [
  ["shell", /\.(?:sh|bash|zsh|ksh)$/, /\b(?:ba|z|da|k)?sh\b/],
  ["javascript", /\.[cm]?[jt]sx?$/, /\b(?:node|bun|deno|tsx|ts-node)\b/],
  ["python", /\.py$/, /\bpython/],
  ["ruby", /\.rb$/, /\bruby\b/],
  ["perl", /\.p[lm]$/, /\bperl\b/],
  ["php", /\.php$/, /\bphp\b/],
];

const LOADS: Readonly<Record<Language, RegExp>> = {
  shell:
    /(?:^|[;&|({]\s*|\b(?:then|do|else|exec)\s+)\s*(?:(?:\.|source)\s+\S|(?:(?:ba|z|da|k)?sh|node|python3?|ruby|perl)\s+["']?[^\s"'-][^\s"']*\.\w|["']?(?:\.{1,2}\/|\$\{?\w+\}?["']?\/)\S)/m,
  javascript: /\b(?:from|import|require|createRequire)\s*\(?\s*["'`]\.{1,2}\/|\bimport\s*\(\s*[^"'`\s)]|\brequire\s*\(\s*[^"'`\s)]/,
  python: /^\s*from\s+\.|\b(?:exec|execfile|__import__|import_module|runpy)\b/m,
  ruby: /\brequire_relative\b|\bload\s+["']/,
  perl: /\b(?:require|do)\s+["']\.{0,2}\/|\buse\s+lib\b/,
  php: /\b(?:include|require)(?:_once)?\b/,
};

/** Whether a script loads or runs other files of its own: a cheap look, which rather says yes. */
export function loadsOthers(script: { readonly file: string; readonly text: string; readonly isScript: boolean }): boolean {
  const language = languageOf(script);
  if (language === undefined) return false;
  return LOADS[language].test(script.text) || (language === "python" && importsSibling(script.file, script.text));
}

function languageOf({
  file,
  text,
  isScript,
}: {
  readonly file: string;
  readonly text: string;
  readonly isScript: boolean;
}): Language | undefined {
  const byName = LANGUAGES.find(([, extension]) => extension.test(file));
  if (byName) return byName[0];
  const first = text.startsWith("#!") ? text.slice(0, text.indexOf("\n") >>> 0) : "";
  const byFirst = first === "" ? undefined : LANGUAGES.find(([, , interpreter]) => interpreter.test(first));
  return byFirst?.[0] ?? (isScript ? "shell" : undefined);
}

/** `import x` is a file beside this one, or part of the language: only the folder can tell. */
function importsSibling(file: string, text: string): boolean {
  const names = [...text.matchAll(/^\s*(?:import|from)\s+(\w+)/gm)].map(([, name = ""]) => name);
  return [...new Set(names)].slice(0, 200).some((name) => {
    const sibling = path.join(path.dirname(file), name);
    return existsSync(`${sibling}.py`) || existsSync(sibling);
  });
}
