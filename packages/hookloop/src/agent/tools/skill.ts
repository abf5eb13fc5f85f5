import path from "node:path";
import { nearestName } from "../../catalogue/index.ts";
import type { Definition } from "../definitions/index.ts";
import { type CatalogueTool, ToolFailure } from "./types.ts";

export interface SkillToolOptions {
  readonly definitions: () => ReadonlyMap<string, Definition>;
  /** Puts the skill's hooks into force until the session ends. */
  readonly attach: (skill: Definition) => Promise<void>;
}

/** Gives the model a skill's instructions; from then on its hooks run, too. */
export function createSkillTool({ definitions, attach }: SkillToolOptions): CatalogueTool<"Skill"> {
  return {
    name: "Skill",
    get description() {
      const skills = [...definitions().values()].map(({ name, description }) => `- ${name}: ${description}`);
      return `Loads the instructions of a skill. The skills are:\n${skills.join("\n") || "(none)"}`;
    },
    async run({ skill: name, args = "" }) {
      const known = definitions();
      const skill = known.get(name);
      if (!skill) {
        const nearest = nearestName(name, [...known.keys()]);
        throw new ToolFailure(`There is no skill "${name}".${nearest ? ` Did you mean ${nearest}?` : ""}`);
      }
      await attach(skill);
      const text = `The skill's folder is ${path.dirname(skill.file)}.\n\n${skill.body.replaceAll("$ARGUMENTS", () => args)}`;
      return { response: { success: true, commandName: name }, text };
    },
  };
}
