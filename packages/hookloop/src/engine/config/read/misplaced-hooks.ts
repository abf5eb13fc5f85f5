// Takes a key of a file; says whether hooks stand under it that nobody reads, because the key is misspelt or one level too deep.
// SECURITY: in a file of several programs unknown keys are nobody's business, and a session without its hooks would look like one with them.
import { EVENT_NAMES, isEventName } from "../../../catalogue/index.ts";
import type { Diagnostic } from "../../../diagnostic.ts";
import { nearestName } from "../../../diagnostic.ts";
import { type Reading, shown, suggestion } from "../reading.ts";
import type { ConfigNode, ConfigProperty } from "../tree/index.ts";

export interface MisplacedHooks {
  readonly text: string;
  readonly level: Diagnostic["level"];
  /** The events, each with what stands under it. */
  readonly events: readonly ConfigProperty[];
}

/** Copies that somebody keeps on purpose, of a file or of a part of it. */
export const PUT_ASIDE: RegExp = /old|bak|backup|orig|copy|example|sample|disabled|template|\boff\b/i;
const COMMENT = /^\s*(?:\/\/|#)/;
const MAX_NAME = 64;

/** The hooks under this key, if there are any and it is another than `hooks`. */
export function misplacedHooks({ shape }: Reading, { key, value }: ConfigProperty): MisplacedHooks | undefined {
  if (key === "hooks" || value?.type !== "object") return undefined;
  const inner = value.properties.find((one) => one.key === "hooks")?.value;
  const isAside = PUT_ASIDE.test(key) || COMMENT.test(key);
  const level = isAside ? "warning" : "error";
  if (inner?.type === "object" && inner.properties.some(isEvent)) {
    const text = `"hooks" must stand at the top, not inside ${shown(key)}; here it is ignored. Move it there.`;
    return { text, level, events: isAside ? [] : inner.properties };
  }
  const isKnown = Object.hasOwn(shape.topLevel, key);
  const hint = suggestion(key.trim(), ["hooks"]);
  const isMap = value.properties.some(isEvent) || (hint !== "" && value.properties.some(isNearlyEvent));
  if (isKnown || !isMap) return undefined;
  const cure = hint || ' Move them into "hooks".';
  const text = `${shown(key)} is not a key of ${shape.title}, and the hooks in it are ignored.${cure}`;
  return { text, level, events: isAside ? [] : value.properties };
}

function isEvent({ key, value }: ConfigProperty): boolean {
  return isEventName(key) && holdsGroups(value);
}

function isNearlyEvent({ key, value }: ConfigProperty): boolean {
  return key.length <= MAX_NAME && holdsGroups(value) && nearestName(key, EVENT_NAMES) !== undefined;
}

function holdsGroups(value: ConfigNode | undefined): boolean {
  return value?.type === "object" || (value?.type === "list" && value.items.some(({ type }) => type === "object"));
}
