/** Takes the options a program gave a function; throws at what cannot be meant: an option that is misspelt has no effect. Calls the listeners among them. */

import { nearestName } from "./diagnostic.ts";
import type { ErrorCode } from "./errors.ts";

/** What an option may be; a list has the words that it may be. */
export type Allowed = TypeName | readonly string[];

type TypeName =
  | "text"
  | "any text"
  | "anything"
  | "flag"
  | "number"
  | "any number"
  | "limit"
  | "function"
  | "object"
  | "plain object"
  | "texts"
  | "signal"
  | "text or plain object"
  | "trust";

interface OptionType {
  /** Completes "Write …". */
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

const TYPES: Readonly<Record<TypeName, OptionType>> = {
  text: { words: "a non-empty string", fits: (value) => typeof value === "string" && value !== "" },
  "any text": { words: "a text", fits: (value) => typeof value === "string" },
  anything: { words: "anything", fits: () => true },
  flag: { words: "true or false", fits: (value) => typeof value === "boolean" },
  number: { words: "0 or more", fits: (value) => typeof value === "number" && value >= 0 },
  "any number": { words: "a number", fits: (value) => Number.isFinite(value) },
  limit: { words: "milliseconds, more than 0", fits: (value) => typeof value === "number" && value > 0 },
  function: { words: "a function", fits: (value) => typeof value === "function" },
  object: { words: "an object", fits: (value) => isFunctionOrObject(value) },
  "plain object": { words: "a plain object", fits: isPlain },
  texts: { words: "a list of texts", fits: (value) => Array.isArray(value) && value.every((one) => typeof one === "string") },
  signal: { words: "an AbortSignal, as in new AbortController().signal", fits: (value) => isSignal(value) },
  trust: {
    words: "one of: store, implicit, a function or an object",
    fits: (value) => value === "store" || value === "implicit" || isFunctionOrObject(value),
  },
  "text or plain object": { words: "a text or a plain object", fits: (value) => typeof value === "string" || isPlain(value) },
};

/** Of any function that takes options. */
export function checkEntries(where: string, given: object, allowed: Readonly<Record<string, Allowed>>): void {
  for (const [name, value] of Object.entries(given)) {
    const wanted = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (wanted === undefined) throw invalidOption(`${where} has no option "${name.slice(0, 60)}". ${nameCure(name, Object.keys(allowed))}`);
    if (value === undefined || isAllowed(value, wanted)) continue;
    const cure = typeof wanted === "string" ? TYPES[wanted].words : `one of: ${wanted.join(", ")}`;
    const stray = Array.isArray(value) ? value.find((one) => typeof one !== "string") : undefined;
    const found = wanted === "texts" && stray !== undefined ? `has ${shown(stray)} in it` : `is ${shown(value)}`;
    throw invalidOption(`${name} of ${where} ${found}. Write ${cure}`);
  }
}

/** The same of a function that takes one object of options, some of which it needs. */
export function checkGiven(where: string, given: unknown, allowed: Readonly<Record<string, Allowed>>, needed: readonly string[]): void {
  if (!isObject(given))
    throw invalidOption(`${where} takes an object, not ${shown(given)}. Write ${where.slice(0, -1)}{ ${needed.join(", ")} })`);
  checkEntries(where, given, allowed);
  const missing = needed.find((name) => given[name] === undefined);
  if (missing !== undefined) throw invalidOption(`${missing} of ${where} is missing. Write ${where.slice(0, -1)}{ ${needed.join(", ")} })`);
}

/** The name that was probably meant, or all there are. */
export function nameCure(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? `There are: ${known.join(", ")}` : `Did you mean "${nearest}"?`;
}

function isAllowed(value: unknown, wanted: Allowed): boolean {
  if (typeof wanted === "string") return TYPES[wanted].fits(value);
  return typeof value === "string" && wanted.includes(value);
}

/** Sinks, models and the like may be classes, or functions with methods. */
function isFunctionOrObject(value: unknown): boolean {
  return typeof value === "function" || (typeof value === "object" && value !== null && !Array.isArray(value) && !isHolder(value));
}

/** SECURITY: a promise, a `Map` or bytes have nothing under the names that are looked for: read as options or rules, they are empty. */
export function isHolder(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return (
    typeof (value as { then?: unknown }).then === "function" || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)
  );
}

/** An object that is not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The items of each key, in their order. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isHolder = (typeof value === "object" && value !== null) || typeof value === "function";
  return isHolder && typeof (value as { readonly then?: unknown }).then === "function";
}

/** Also one of another realm. */
function isPlain(value: unknown): boolean {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Also one of another realm or a polyfill. */
function isSignal(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { aborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

/** A value as messages name it; its content only if it is short and plain. */
export function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return objectText(value);
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
}

function objectText(value: object): string {
  if (Array.isArray(value)) return "a list";
  if (isPlain(value)) return "an object";
  if (typeof (value as { then?: unknown }).then === "function") return "a promise";
  const { name } = (value.constructor ?? {}) as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? `an object of the class ${name.slice(0, 60)}` : "an object";
}

export function invalidOption(text: string): TypeError {
  return mistake("HL_CONFIG_OPTION_INVALID", text);
}

/** What is thrown at a program: its code stands in the message, too. */
export function mistake(code: ErrorCode, text: string): TypeError & { readonly code: ErrorCode } {
  return Object.assign(new TypeError(`${code}: ${text}`), { code });
}

/** Calls a listener of the embedding program, which may be asynchronous. What it throws, now or later, is told, and ends nothing. */
export function callListener(call: () => unknown, onThrown: (thrown: unknown) => void): void {
  try {
    catchRejection(call(), onThrown);
  } catch (thrown) {
    onThrown(thrown);
  }
}

/** An unhandled rejection would end the program, also where no promise was wanted. */
export function catchRejection(value: unknown, onThrown: (thrown: unknown) => void = () => {}): void {
  if (typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function") Promise.resolve(value).then(undefined, onThrown);
}
