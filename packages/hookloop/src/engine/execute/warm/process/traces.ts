// What a script leaves behind in its process: undone where that is possible, named where it is not.
import childProcess from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const { cache } = createRequire(import.meta.url);
const MEMORY_BYTES = 300 * 1024 * 1024;

/** Objects that every script shares with the next. */
const SHARED: Readonly<Record<string, object>> = {
  Object,
  "Object.prototype": Object.prototype,
  Array,
  "Array.prototype": Array.prototype,
  "String.prototype": String.prototype,
  "Number.prototype": Number.prototype,
  "Function.prototype": Function.prototype,
  "RegExp.prototype": RegExp.prototype,
  "Date.prototype": Date.prototype,
  "Error.prototype": Error.prototype,
  "Map.prototype": Map.prototype,
  "Set.prototype": Set.prototype,
  Promise,
  "Promise.prototype": Promise.prototype,
  JSON,
  Math,
  console,
  process,
  "node:fs": fs,
  "node:child_process": childProcess,
};

type Properties = ReadonlyMap<string | symbol, PropertyDescriptor>;

/** Taken before the first script runs. */
export interface Baseline {
  readonly globals: Properties;
  readonly shared: readonly SharedObject[];
  readonly listeners: ReadonlyMap<string | symbol, readonly unknown[]>;
  readonly modules: ReadonlySet<string>;
  readonly umask: number;
}

export function takeBaseline(): Baseline {
  return {
    globals: propertiesOf(globalThis),
    shared: Object.entries(SHARED).map(([name, object]) => sharedObject(name, object)),
    listeners: new Map(process.eventNames().map((name) => [name, process.rawListeners(name as "exit")])),
    modules: new Set(Object.keys(cache)),
    umask: process.umask(),
  };
}

/** Undoes what can be undone; gives the first thing that cannot. */
export function clearTraces({ globals, shared, listeners, modules, umask }: Baseline): string | undefined {
  clearGlobals(globals);
  clearListeners(listeners);
  for (const file of Object.keys(cache)) {
    if (!modules.has(file) && !file.includes(`${path.sep}node_modules${path.sep}`)) delete cache[file];
  }
  process.umask(umask);
  process.exitCode = undefined;
  if (process.memoryUsage.rss() > MEMORY_BYTES) return "it uses too much memory";
  const changed = shared.find(isChanged);
  return changed && `the script changed ${changed.name}`;
}

function propertiesOf(object: object): Properties {
  return new Map(Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key) ?? {}]));
}

function clearGlobals(before: Properties): void {
  for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) Reflect.deleteProperty(globalThis, key);
  for (const [key, descriptor] of before) {
    // Some of Node's own globals become plain values when they are first asked for.
    if (descriptor.get !== undefined) continue;
    if (Object.getOwnPropertyDescriptor(globalThis, key)?.value !== descriptor.value) Reflect.defineProperty(globalThis, key, descriptor);
  }
}

function clearListeners(before: Baseline["listeners"]): void {
  for (const name of process.eventNames()) {
    for (const listener of process.rawListeners(name as "exit")) {
      if (!before.get(name)?.includes(listener)) process.removeListener(name, listener as () => void);
    }
  }
}

interface SharedObject {
  readonly name: string;
  readonly object: Readonly<Record<string | symbol, unknown>>;
  readonly size: number;
  readonly methods: readonly (readonly [key: string | symbol, method: unknown])[];
}

function sharedObject(name: string, object: object): SharedObject {
  const properties = [...propertiesOf(object)];
  const methods = properties.flatMap(([key, { value }]) => (typeof value === "function" ? [[key, value] as const] : []));
  return { name, object: object as SharedObject["object"], size: properties.length, methods };
}

/** Methods count, values that Node itself counts up do not. To `process` Node adds things by itself. */
function isChanged({ object, size, methods }: SharedObject): boolean {
  if (object !== (process as object) && Reflect.ownKeys(object).length !== size) return true;
  return methods.some(([key, method]) => object[key] !== method);
}
