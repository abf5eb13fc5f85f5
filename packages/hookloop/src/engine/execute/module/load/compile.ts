// Takes a JavaScript or TypeScript file; gives it as a function body that `ModuleGraph` can run as often as it likes.
// Refuses: syntax errors, with their place.
import { createHash } from "node:crypto";
import path from "node:path";
import { type CompileCache, openCompileCache } from "./cache.ts";
import type { CompiledFile } from "./compiled.ts";

/** What compiled code depends on besides its source; a test compares it with package.json. */
export const COMPILER = "oxc-transform@0.151.0, 1";

export type Compile = (file: string, source: string) => Promise<CompiledFile>;

/** A compiler that remembers what it made in `cacheFolder`. */
export function createCompiler(cacheFolder: string | undefined): Compile {
  let cache: CompileCache | undefined;
  return async (file, source) => {
    cache ??= openCompileCache(cacheFolder);
    const key = createHash("sha256")
      .update(`${COMPILER}\n${path.extname(file)}\n${source}`)
      .digest("hex");
    const known = cache.get(key);
    if (known) return known;
    const compiled = await compile(file, source);
    cache.set(key, compiled);
    return compiled;
  };
}

/** The compiler is ten milliseconds of loading: nobody pays for it whose files are known. */
async function compile(file: string, source: string): Promise<CompiledFile> {
  const { transformSync, moduleRunnerTransformSync } = await import("oxc-transform");
  const isTypeScript = /\.[cm]?tsx?$/.test(file);
  const script = source.replace(/^#!.*/, "");
  const plain = isTypeScript ? checked(file, script, transformSync(file, script, { sourcemap: true })) : undefined;
  const body = checked(
    file,
    script,
    moduleRunnerTransformSync(file.replace(/ts(x?)$/, "js$1"), plain?.code ?? script, { sourcemap: true }),
  );
  return { code: body.code, mappings: [body, plain].flatMap((step) => step?.map?.mappings ?? []) };
}

interface Compiled {
  readonly code: string;
  readonly errors: readonly { readonly message: string; readonly labels: readonly { readonly start: number }[] }[];
  readonly map?: { readonly mappings: string };
}

function checked<Result extends Compiled>(file: string, source: string, result: Result): Result {
  const [error] = result.errors;
  if (!error) return result;
  const thrown = new SyntaxError(`${error.message} (${path.basename(file)}${placeIn(source, error.labels[0]?.start)})`);
  // Where we noticed it is of no use to anybody.
  thrown.stack = String(thrown);
  throw thrown;
}

function placeIn(source: string, offset: number | undefined): string {
  if (offset === undefined) return "";
  const before = source.slice(0, offset).split("\n");
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
