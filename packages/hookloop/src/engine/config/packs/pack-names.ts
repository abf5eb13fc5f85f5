import type { Place } from "../../../diagnostic.ts";
import { type ConfigProperty, plainValue } from "../tree/index.ts";

/** A pack that a file asks for. */
export interface NamedPack {
  readonly name: string;
  readonly place: Place;
}

/** What `plugins` of a native file lists; its types were checked. */
export function namedPacks(properties: readonly ConfigProperty[]): readonly NamedPack[] {
  const list = properties.find(({ key }) => key === "plugins")?.value;
  if (list?.type !== "list") return [];
  return list.items.map((item) => ({ name: String(plainValue(item)), place: item.place }));
}
