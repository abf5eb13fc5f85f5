import { type DefinitionPlaces, type Definitions, findDefinitions } from "./find-definitions.ts";

/** The definitions of a session, which may be read again while it runs. */
export interface LiveDefinitions {
  readonly current: () => Definitions;
  /** Reads the skill of this file again, or all if none is given; the others, agents and commands stay as they are. */
  readonly reloadSkills: (file?: string) => void;
  /** Whether its head was edited since the session began: what was said of the workspace then was not said of it. */
  readonly isEdited: (file: string) => boolean;
}

export function openDefinitions(places: DefinitionPlaces): LiveDefinitions {
  let current = findDefinitions(places);
  const heads = new Map([...current.skills.values()].map(({ file, head }) => [file, head]));
  const headOf = (wanted: string): string | undefined => [...current.skills.values()].find(({ file }) => file === wanted)?.head;
  return {
    current: () => current,
    reloadSkills(wanted) {
      const isWanted = (file: string): boolean => wanted === undefined || wanted === file;
      const stay = [...current.skills].filter(([, { file }]) => !isWanted(file));
      const come = [...findDefinitions(places).skills].filter(([, { file }]) => isWanted(file));
      current = { ...current, skills: new Map([...stay, ...come]) };
    },
    isEdited: (file) => headOf(file) !== heads.get(file),
  };
}
