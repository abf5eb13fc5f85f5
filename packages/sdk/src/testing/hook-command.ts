// Takes a hook script; gives the words that start it: by what its `#!` line names, as a shell does, JavaScript and TypeScript by this Node.

import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const INTERPRETERS: Readonly<Record<string, readonly string[]>> = {
  ".py": ["python3"],
  ".sh": ["sh"],
};

export interface HookCommand {
  readonly words: readonly string[];
  /** This Node runs it only because it is compiled first: `node hook.ts` fails. */
  readonly isCompiled: boolean;
}

/**
 * Throws where nothing can compile its TypeScript. `places`: files beside which a compiler is looked for, first of all.
 * SECURITY: without them only the one that hookloop brings is taken, so that a checkout does not choose the program that reads a guard.
 */
export function hookCommand(file: string, places: readonly string[] = []): HookCommand {
  const flags = typescriptFlags(file, places);
  return { words: [...interpreterOf(file), ...flags, file], isCompiled: flags.length > 0 };
}

/** A script runs by what its `#!` line names, as an agent's shell starts it; JavaScript by this Node. */
function interpreterOf(file: string): readonly string[] {
  if (/\.[cm]?[jt]s$/.test(file)) return [process.execPath];
  const usual = INTERPRETERS[path.extname(file)];
  return usual ? (shebangOf(file) ?? usual) : [];
}

/** The program and the one argument that the system passes to it; `env -S` splits that one itself. */
export function shebangOf(file: string): readonly string[] | undefined {
  const [, program, argument] = /^#!\s*(\S+)[ \t]*(.*?)\s*$/.exec(firstLine(file)) ?? [];
  return program === undefined ? undefined : [program, ...(argument ? [argument] : [])];
}

export function firstLine(file: string): string {
  return textOf(file).split("\n", 1)[0] as string;
}

export function textOf(file: string): string {
  return statSync(file).isFile() ? readFileSync(file, "latin1") : "";
}

function isTypescript(file: string): boolean {
  return /\.[cm]?ts$/.test(file);
}

/** What makes this Node run TypeScript: nothing from 22.18 on, a flag from 22.6 on, before that a compiler that the project has. */
function typescriptFlags(file: string, places: readonly string[]): readonly string[] {
  if (!isTypescript(file) || (process.features as { readonly typescript?: unknown }).typescript) return [];
  if (process.allowedNodeEnvironmentFlags.has("--experimental-strip-types"))
    return ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
  const compiler = findCompiler(places);
  const register = (hooks: string): string => `import{register}from"node:module";register(${JSON.stringify(dataUrl(hooks))})`;
  if (compiler) return [`--import=${dataUrl(register(loaderSource(compiler)))}`];
  const cure = "Use Node 22.18 or later, or install a compiler beside the hook: npm install --save-dev esbuild";
  throw new Error(`HL_TEST_NO_TYPESCRIPT: Node ${process.versions.node} cannot run ${path.basename(file)}. ${cure}`);
}

interface Compiler {
  readonly entry: string;
  /** An expression that compiles `source` of `file` with `compiler`. */
  readonly call: string;
}

const COMPILERS: Readonly<Record<string, string>> = {
  esbuild: '(await compiler.transform(source,{loader:"ts",format:"esm",target:"node20",sourcemap:"inline",sourcefile:file})).code',
  // It gives errors back, and nothing as the code: a hook with a mistake would be one without an opinion.
  "oxc-transform": "checked(compiler.transformSync(file,source),file,source).code",
};

/** What hookloop depends on. */
const OWN_COMPILER = "oxc-transform";

/** The SDK brings none along: it has no dependencies. hookloop has one. */
function findCompiler(places: readonly string[]): Compiler | undefined {
  const own = fileURLToPath(import.meta.url);
  for (const place of [...places, own]) {
    const hookloop = resolved(place, "hookloop/package.json");
    for (const [name, call] of Object.entries(COMPILERS)) {
      if (places.length === 0 && name !== OWN_COMPILER) continue;
      const entry = resolved(place, name) ?? (hookloop && resolved(hookloop, name));
      if (entry) return { entry, call };
    }
  }
  return undefined;
}

function resolved(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    // Not installed there.
    return undefined;
  }
}

/** Hooks of Node's module loader that compile what they load. */
function loaderSource({ entry, call }: Compiler): string {
  return `import{createRequire}from"node:module";import{readFileSync}from"node:fs";import{fileURLToPath}from"node:url";
const compiler=createRequire(${JSON.stringify(entry)})(${JSON.stringify(entry)});
function checked(made,file,source){
const[error]=made.errors;if(!error)return made;
throw new SyntaxError(file+":"+source.slice(0,error.labels[0]?.start??0).split("\\n").length+": "+error.message)}
export async function load(url,context,next){
if(!/^file:.*\\.[cm]?ts$/.test(url))return next(url,context);
const file=fileURLToPath(url),source=readFileSync(file,"utf8");
return{format:"module",shortCircuit:true,source:${call}}}`;
}

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
