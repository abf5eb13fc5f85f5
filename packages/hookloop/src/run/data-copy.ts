/**
 * Takes a value of a payload; gives a copy that shares nothing with it. What one hook does to its copy reaches no other hook, no caller and no tool.
 * Things that are more than data, such as signals and open files, are handed on as they are, and so is what is kept under a symbol.
 */

import { WATCHED } from "@hookloop/sdk/host";

/** A copy of all levels. Plain data takes the quick way; what goes on and on may have a cycle, and is looked at with more care. */
export function dataCopy(value: unknown): unknown {
  return deepCopy(value, false);
}

function deepCopy(value: unknown, isInput: boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy = quickCopy(value, MAX_QUICK_LEVELS, isInput);
  return copy === TOO_DEEP ? carefulCopy(value, { seen: new Map(), isFrozen: false, isInput }) : copy;
}

/** A copy of all levels, frozen; the caller's own objects stay as they are. Cycles are kept. */
export function frozenCopy(value: unknown): unknown {
  return carefulCopy(value, { seen: new Map(), isFrozen: true, isInput: false });
}

/**
 * The same of a tool's input, as data only. Of an object of a class its fields count: such a one would otherwise be shared with the tool.
 * SECURITY: functions are left out. With its own `toJSON` a hook that is a program would be told something else than the tool gets.
 */
export function inputCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return deepCopy(value, true);
  const copy: Record<string, unknown> = { ...value };
  let isEmpty = true;
  // Most inputs hold texts and numbers: then this is all, and it takes half the time. `for in` is quicker than a list of the names.
  for (const name in copy) {
    isEmpty = false;
    const part = copy[name];
    if (typeof part === "function" || (typeof part === "object" && part !== null)) return deepCopy(copy, true);
  }
  // What has no fields is no input: a Map or a promise must not pass for an empty one.
  return isEmpty && !isPlainObject(value) ? dataCopy(value) : copy;
}

/** Whether a value can be a tool's input: an object that has fields, or could have. */
export function isInputObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return isPlainObject(value) || Object.keys(value).length > 0;
}

const MAX_QUICK_LEVELS = 64;
const TOO_DEEP = Symbol("too deep");

function quickCopy(value: object, levels: number, isInput: boolean): unknown {
  if (levels === 0) return TOO_DEEP;
  if (!Array.isArray(value) && !isPlainObject(value) && !(isInput && saysItself(value))) return exoticCopy(value) ?? value;
  const copy = (Array.isArray(value) ? value.slice() : { ...value }) as Record<string, unknown>;
  for (const name of Object.keys(copy)) {
    const part = copy[name];
    if (isInput && typeof part === "function") leaveOut(copy, name);
    if (typeof part !== "object" || part === null) continue;
    const inner = quickCopy(part, levels - 1, isInput);
    if (inner === TOO_DEEP) return TOO_DEEP;
    copy[name] = inner;
  }
  return copy;
}

interface CopyOptions {
  readonly seen: Map<unknown, unknown>;
  readonly isFrozen: boolean;
  /** Functions are left out. */
  readonly isInput: boolean;
}

function carefulCopy(value: unknown, options: CopyOptions): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = options.seen.get(value);
  if (known !== undefined) return known;
  if (!Array.isArray(value) && !isPlainObject(value) && !(options.isInput && saysItself(value))) {
    const copy = exoticCopy(value) ?? value;
    options.seen.set(value, copy);
    return copy;
  }
  const copy: Record<string | symbol, unknown> = Array.isArray(value) ? ([] as unknown as Record<string, unknown>) : {};
  options.seen.set(value, copy);
  for (const name of Object.keys(value)) {
    define(copy, name, carefulCopy((value as Record<string, unknown>)[name], options));
    if (options.isInput && typeof copy[name] === "function") leaveOut(copy, name);
  }
  for (const name of Object.getOwnPropertySymbols(value))
    if (Object.prototype.propertyIsEnumerable.call(value, name)) copy[name] = (value as Record<symbol, unknown>)[name];
  return options.isFrozen ? Object.freeze(copy) : copy;
}

/** As JSON does it. */
function leaveOut(copy: Record<string, unknown>, name: string): void {
  if (Array.isArray(copy)) copy[name as never] = null as never;
  else delete copy[name];
}

/** An object of a class that is other data in JSON than its fields are. What the platform has of this kind says what it holds. */
function saysItself(value: object): boolean {
  if (value instanceof Date || value instanceof URL || ArrayBuffer.isView(value)) return false;
  return typeof (value as { readonly toJSON?: unknown }).toJSON === "function";
}

/** Assignment to a `__proto__` that is not there yet would set the prototype. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Collections and dates are data, too. */
function exoticCopy(value: object): object | undefined {
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [key, dataCopy(part)]));
  if (value instanceof Set) return new Set([...value].map(dataCopy));
  return undefined;
}

/** No list, and no object of a class. */
export function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also an object of another realm, and the input of a guard.
  return prototype === Object.prototype || prototype === null || prototype === WATCHED || Object.getPrototypeOf(prototype) === null;
}
