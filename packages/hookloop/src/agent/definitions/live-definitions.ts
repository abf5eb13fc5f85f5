import { type DefinitionPlaces, type Definitions, findDefinitions } from "./find-definitions.ts";

/** The definitions of a session, which may be read again while it runs. */
export interface LiveDefinitions {
  readonly current: () => Definitions;
  /** Reads the skills again, because this file of one was edited; agents and commands stay as they were. */
  readonly reloadSkill: (file: string) => void;
  /** Whether the file was edited since the session began: what was said of the workspace then was not said of it. */
  readonly isEdited: (file: string) => boolean;
}

export function openDefinitions(places: DefinitionPlaces): LiveDefinitions {
  let current = findDefinitions(places);
  const edited = new Set<string>();
  return {
    current: () => current,
    reloadSkill(file) {
      edited.add(file);
      current = { ...current, skills: findDefinitions(places).skills };
    },
    isEdited: (file) => edited.has(file),
  };
}
