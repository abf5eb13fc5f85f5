/** Takes the options a program gave a function; throws at what nobody can have meant: an option that is misspelt is one that is not there. */
import { nearestName } from "../catalogue/index.ts";

/** What an option may be; a list of words also means anything that is no text. */
export type Allowed = "text" | "flag" | "number" | "function" | "object" | "list" | "text or object" | readonly string[];

/** Of any function that takes options. */
export function checkEntries(where: string, given: object, allowed: Readonly<Record<string, Allowed>>): void {
  for (const [name, value] of Object.entries(given)) {
    const wanted = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (wanted === undefined) {
      const nearest = nearestName(name, Object.keys(allowed));
      const cure = nearest === undefined ? `There are: ${Object.keys(allowed).join(", ")}` : `Did you mean "${nearest}"?`;
      throw invalidOption(`${where} has no option "${name.slice(0, 60)}". ${cure}`);
    }
    if (value !== undefined && !isAllowed(value, wanted))
      throw invalidOption(
        `${name} of ${where} is ${shown(value)}. Write ${typeof wanted === "string" ? `a ${wanted}` : `one of: ${wanted.join(", ")}`}`,
      );
  }
}

function isAllowed(value: unknown, wanted: Allowed): boolean {
  if (typeof wanted !== "string") return typeof value === "string" ? wanted.includes(value) : isFunctionOrObject(value);
  if (wanted === "list") return Array.isArray(value);
  if (wanted === "object") return isFunctionOrObject(value);
  if (wanted === "text or object") return typeof value === "string" || isFunctionOrObject(value);
  return typeof value === { text: "string", flag: "boolean", number: "number", function: "function" }[wanted];
}

/** Sinks, models and the like may be classes, or functions with methods. */
function isFunctionOrObject(value: unknown): boolean {
  return typeof value === "function" || (typeof value === "object" && value !== null);
}

function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
}

export function invalidOption(text: string): TypeError {
  return new TypeError(`HL_CONFIG_OPTION_INVALID: ${text}`);
}
