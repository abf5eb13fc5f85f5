/**
 * Takes a value of a payload; gives a copy that shares nothing with it. What one hook does to its copy reaches no other hook, no caller and no tool.
 * Things that are more than data, such as signals and open files, are handed on as they are, and so is what is kept under a symbol; not in a tool's input.
 */

import { WATCHED } from "@hookloop/sdk/host";

/** A copy of all levels. */
export function dataCopy(value: unknown): unknown {
  return deepCopy(value, "data");
}

/** `input`: of a tool's input, as data only. `call`: the same, and what is no data throws. `frozen`: it cannot be changed. */
type Mode = "data" | "input" | "call" | "frozen";

/** Most data has few levels. Data that is deeper may have a cycle: then it is copied again, with an eye on what was met before. */
function deepCopy(value: unknown, mode: Mode): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy = mode === "frozen" ? TOO_DEEP : copyOf(value, mode, MAX_LEVELS);
  return copy === TOO_DEEP ? copyOf(value, mode, Number.POSITIVE_INFINITY, new Map()) : copy;
}

/** A copy of all levels, frozen; the caller's own objects stay as they are. Cycles are kept. */
export function frozenCopy(value: unknown): unknown {
  return deepCopy(value, "frozen");
}

/**
 * The same of a tool's input, as data only: of an object of a class its fields, and nothing that it inherits or keeps under a symbol.
 * SECURITY: functions are left out. With its own `toJSON` a hook that is a program would be told something else than the tool gets; so
 * would one that is given a Map, a promise or what else is no data: of a call that is to run, that throws.
 */
export function inputCopy(value: unknown, mode: Mode = "input"): unknown {
  const flat = flatCopy(value);
  if (flat || typeof value !== "object" || value === null || Array.isArray(value)) return flat ?? deepCopy(value, mode);
  const copy = { ...value };
  // What has no fields is no input: a Map or a promise must not pass for an empty one.
  return Object.keys(copy).length === 0 ? dataCopy(value) : deepCopy(copy, mode);
}

/** The same of an input that holds texts and numbers only, as most do: a plain object of which one more copy is `{ ...copy }`. Nothing of others. */
export function flatCopy(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const copy: Record<string, unknown> = { ...value };
  let isEmpty = true;
  // `for in` is quicker than a list of the names.
  for (const name in copy) {
    isEmpty = false;
    const part = copy[name];
    if (typeof part === "function" || (typeof part === "object" && part !== null)) return undefined;
  }
  return isEmpty && !isPlainObject(value) ? undefined : withoutSymbols(copy);
}

/** Whether a value can be a tool's input: an object that has fields, or could have. */
export function isInputObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return isPlainObject(value) || Object.keys(value).length > 0;
}

const MAX_LEVELS = 64;
const TOO_DEEP = Symbol("too deep");

function copyOf(value: object, mode: Mode, levels: number, seen?: Map<object, unknown>): unknown {
  if (levels === 0) return TOO_DEEP;
  const known = seen?.get(value) ?? wholeCopy(value, mode);
  if (known) {
    seen?.set(value, known);
    return known;
  }
  // Not field by field: assignment to a `__proto__` that is not there yet would set the prototype.
  const copy = (Array.isArray(value) ? Array.prototype.concat.call([], value) : { ...value }) as Record<string, unknown>;
  seen?.set(value, copy);
  const isInput = mode === "input" || mode === "call";
  if (isInput) withoutSymbols(copy);
  for (const name of Object.keys(copy)) {
    const part = copy[name];
    if (isInput && typeof part === "function") leaveOut(copy, name);
    if (typeof part !== "object" || part === null) continue;
    const inner = copyOf(part, mode, levels - 1, seen);
    if (inner === TOO_DEEP) return TOO_DEEP;
    copy[name] = inner;
  }
  return mode === "frozen" ? Object.freeze(copy) : copy;
}

/** As JSON does it. */
function leaveOut(copy: Record<string, unknown>, name: string): void {
  if (Array.isArray(copy)) copy[name as never] = null as never;
  else delete copy[name];
}

function withoutSymbols(copy: Record<string | symbol, unknown>): Record<string, unknown> {
  for (const name of Object.getOwnPropertySymbols(copy)) delete copy[name];
  return copy;
}

/** What is not copied field by field; nothing of a list, a plain object and, in a tool's input, an object of a class that has fields. */
function wholeCopy(value: object, mode: Mode): object | undefined {
  if (Array.isArray(value) || isPlainObject(value)) return undefined;
  const isRefused = mode === "call" && (value instanceof Map || value instanceof Set);
  const copy = isRefused ? undefined : exoticCopy(value);
  if (copy || mode === "data" || mode === "frozen") return copy ?? value;
  if (!isRefused && Object.keys(value).length > 0) return undefined;
  if (mode === "input") return value;
  const name = (Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: unknown } } | null)?.constructor?.name;
  throw new TypeError(`there is an object of the class ${String(name)} in it, which is no data that hooks could be told`);
}

/** Collections, dates, addresses and bytes are data, too. */
function exoticCopy(value: object): object | undefined {
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [key, dataCopy(part)]));
  if (value instanceof Set) return new Set([...value].map(dataCopy));
  if (value instanceof URL) return new URL(value.href);
  return bytesCopy(value);
}

const VIEWS: readonly (new (bytes: ArrayBuffer) => ArrayBufferView)[] = [
  DataView,
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigUint64Array,
  BigInt64Array,
];

/** Of memory that threads share, too, a copy that is not shared. */
function bytesCopy(value: object): object | undefined {
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value).slice().buffer;
  if (!ArrayBuffer.isView(value)) return undefined;
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  // Only this one says in JSON what it holds.
  if (Buffer.isBuffer(value)) return Buffer.from(bytes.buffer);
  const View = VIEWS.find((one) => value instanceof one) ?? Uint8Array;
  return new View(bytes.buffer);
}

/** No list, and no object of a class. */
export function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also an object of another realm, and the input of a guard.
  return prototype === Object.prototype || prototype === null || prototype === WATCHED || Object.getPrototypeOf(prototype) === null;
}
