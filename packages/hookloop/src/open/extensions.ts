/**
 * Takes the admitted extensions of a session: files that register hooks when it opens. Runs each in this program, and hangs what it registered on the
 * session's engine. One that cannot be loaded blocks every tool call, and the session must not start.
 */

import path from "node:path";
import { deny } from "@hookloop/sdk";
import { EXTENSION, type RegisteredHook } from "../config/index.ts";
import { type Diagnostic, visibleLine } from "../diagnostic.ts";
import type { HookEngine } from "../engine/index.ts";
import { onAbort, thrownText } from "../run/index.ts";
import { ownFolder } from "../state-files.ts";
import { isMissedExtension, staleText } from "../trust/index.ts";
import type { Opening } from "./options.ts";

/** Hooks that were registered apart from any engine, and can be hung on one. */
export interface HookRegistry {
  /** Hangs the hooks, also later ones, on an engine; the function it returns takes them from it. */
  attach(hooks: HookEngine): () => void;
  /** The function it returns takes away what was registered since. */
  mark?(): () => void;
}

const REGISTRIES: unique symbol = Symbol.for("hookloop.default-registries") as never;

/** The registries behind the free functions of this process, whichever copy of hookloop they come from, each with what empties it. */
function defaultRegistries(): Map<HookRegistry, (() => void) | undefined> {
  const holder = globalThis as { [REGISTRIES]?: Map<HookRegistry, (() => void) | undefined> };
  holder[REGISTRIES] ??= new Map();
  return holder[REGISTRIES];
}

/** A session finds there what an extension registers with free functions. To be called before anything is registered. */
export function announceRegistry(registry: HookRegistry): void {
  defaultRegistries().set(registry, registry.mark?.());
}

/** Runs the extensions; gives why the session must not start. */
export async function loadExtensions(hooks: HookEngine, opening: Opening): Promise<readonly Diagnostic[]> {
  const admitted = hooks.admitted.filter(({ setting }) => setting === EXTENSION);
  for (const { hook } of hooks.refused.filter(isMissedExtension)) shut(hooks, hook, "is not approved");
  if (admitted.length === 0) return [];
  const marks = new Map([...defaultRegistries().keys()].map((registry) => [registry, registry.mark?.()]));
  const failures: Diagnostic[] = [];
  for (const hook of admitted) {
    const why = await load(hook, hooks, opening);
    if (why === undefined) continue;
    const text = `The extension ${visibleLine(fileOf(hook))} ${why} Without it the session is not guarded as you asked, so nothing starts.`;
    failures.push({ code: "HL_CONFIG_EXTENSION", level: "error", text, hook: hook.id });
    shut(hooks, hook, "could not be loaded");
  }
  for (const [registry, empty] of defaultRegistries()) {
    const undo = marks.has(registry) ? marks.get(registry) : empty;
    // The next session of this process loads the file anew.
    onAbort(hooks.internals.closing, () => undo?.());
  }
  return failures;
}

/** SECURITY: also for a program that does not look whether the session may start. */
function shut(hooks: HookEngine, { name }: RegisteredHook, why: string): void {
  hooks.on("PreToolUse", { name, guard: true }, () => deny(`The extension "${name}" ${why}, so every tool call is blocked.`));
}

/** Why it cannot be part of the session; nothing if it is. */
async function load(hook: RegisteredHook, hooks: HookEngine, opening: Opening): Promise<string | undefined> {
  const { gate, cwd } = opening;
  const file = fileOf(hook);
  const count = (): number => hooks.admitted.length + hooks.refused.length;
  const before = count();
  try {
    // SECURITY: what was judged is what runs, also if it changes while it is read.
    for (const isLoaded of [false, true]) {
      if (isLoaded) await run(file, hooks, opening);
      const stale = gate.recheck(hook, cwd);
      if (stale) return `changed while the session opened: ${staleText(stale)}`;
    }
    for (const registry of defaultRegistries().keys()) onAbort(hooks.internals.closing, registry.attach(hooks));
    return count() > before ? undefined : `registers no hook. ${CURE}`;
  } catch (thrown) {
    return `cannot be loaded: ${thrownText(thrown)}.`;
  }
}

const CURE = 'Call registerHook(…) of "hookloop/compat/sampling" or "hookloop/compat/teaching" in it, or export function register(hooks).';

async function run(file: string, hooks: HookEngine, { home, env }: Opening): Promise<void> {
  // Loaded here: most sessions have no extension.
  const { createCompiler, hushLoader, isOwnModule, ModuleGraph, ModuleSources } = await import("../run/module/module-graph.ts");
  if (!isOwnModule(file)) throw new Error("it is no ES module. Name it .mjs or .ts");
  hushLoader();
  const compiler = createCompiler(path.join(ownFolder("state", { home, env }), "cache"));
  const exported = await new ModuleGraph(new ModuleSources(compiler)).import(file);
  const register = exported["register"] ?? exported["default"];
  if (register === undefined) return;
  if (typeof register !== "function")
    throw new Error(`what it exports as "${"register" in exported ? "register" : "default"}" is no function`);
  await register(hooks);
}

function fileOf({ fields }: RegisteredHook): string {
  return String(fields?.["path"]);
}
