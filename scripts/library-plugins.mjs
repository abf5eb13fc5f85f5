// What makes the library quick to load: few files, and the shell reader only when it is needed.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** Of the shell reader, loaded with the library: what is no function, and so small that it is not worth to wait. */
const EAGER = ["./types.ts", "./words.ts", "./rules/secret-files.ts"];
export const READER = "shell-reader.cjs";

/** Each function of the shell reader as one that loads it first. */
function lazyReader(source) {
  const lists = [...source.matchAll(/^export (type )?\{([^}]*)\} from "([^"]+)";/gm)].filter(([, isType]) => !isType);
  const lazy = lists.filter(([, , , from]) => !EAGER.includes(from)).flatMap(([, , names]) => names.split(","));
  const functions = lazy.map((name) => name.trim()).filter((name) => name !== "" && !name.startsWith("type "));
  const reader = createRequire(import.meta.url)(path.resolve(`packages/hookloop/dist/lib/${READER}`));
  const value = functions.find((name) => typeof reader[name] !== "function");
  if (value)
    throw new Error(`${value} of shell/index.ts is no function, so it cannot be loaded at its first use: its file belongs to EAGER.`);
  return [
    ...lists.filter(([, , , from]) => EAGER.includes(from)).map(([line]) => line),
    'import { createRequire } from "node:module";',
    "let reader;",
    `const load = () => (reader ??= createRequire(import.meta.url)("./${READER}"));`,
    ...functions.map((name) => `export function ${name}(...given) { return load().${name}(...given); }`),
  ].join("\n");
}

/** Puts the lazy functions in the place of the shell reader. */
export const lazyShell = {
  name: "lazy shell reader",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/shell\/index\.ts$/ }, ({ path: file }) => ({
      contents: lazyReader(readFileSync(file, "utf8")),
      loader: "ts",
    }));
  },
};

const INDEX = path.resolve("packages/hookloop/src/index.ts");

/** What is loaded beside the library also imports it, or everything that only some of these files share would be a file of its own: a dozen, and each takes time to find. */
export const withIndex = {
  name: "with index",
  setup({ onResolve, onLoad }) {
    const beside = new Set();
    onResolve({ filter: /\.ts$/ }, ({ kind, path: file, resolveDir }) => {
      const isAlone = /src\/(?:index|shell|trace)\.ts$/.test(file);
      if (kind === "dynamic-import" || (kind === "entry-point" && !isAlone)) beside.add(path.resolve(resolveDir, file));
      return undefined;
    });
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path: file }) =>
      beside.has(file) ? { contents: `import ${JSON.stringify(INDEX)};\n${readFileSync(file, "utf8")}`, loader: "ts" } : undefined,
    );
  },
};
