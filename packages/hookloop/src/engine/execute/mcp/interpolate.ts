const PLACEHOLDER = /\$\{([\w-]+(?:\.[\w-]+)*)\}/g;

/** A hook's `input` with `${a.b}` replaced by that field of the payload, wherever a text stands. What is not there is empty. */
export function interpolate(template: unknown, payload: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === "string") return template.replace(PLACEHOLDER, (_, path: string) => textOf(lookUp(payload, path.split("."))));
  if (Array.isArray(template)) return template.map((item) => interpolate(item, payload));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, interpolate(value, payload)]));
}

// SECURITY: own fields only: a path such as `constructor.name` must not reach into the prototype.
function lookUp(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    const isObject = typeof inner === "object" && inner !== null;
    return isObject && Object.hasOwn(inner, name) ? (inner as Record<string, unknown>)[name] : undefined;
  }, value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
