import { nearestName } from "../../diagnostic.ts";
import { type Definition, findSkill, isOn, skillText } from "../definitions/index.ts";
import { type CatalogueTool, ToolFailure } from "./types.ts";

export interface SkillToolOptions {
  readonly definitions: () => ReadonlyMap<string, Definition>;
  readonly sessionId: string;
  /** Puts the skill's hooks into force until the session ends. */
  readonly attach: (skill: Definition) => Promise<void>;
}

/** Gives the model a skill's instructions; from then on its hooks run, too. */
export function createSkillTool({ definitions, sessionId, attach }: SkillToolOptions): CatalogueTool<"Skill"> {
  const offered = (): readonly Definition[] => [...definitions().values()].filter(({ fields }) => !isForPeople(fields));
  return {
    name: "Skill",
    get description() {
      const skills = offered().map(({ name, description }) => `- ${name}: ${description}`);
      return `Loads the instructions of a skill. The skills are:\n${skills.join("\n") || "(none)"}`;
    },
    async run({ skill: name, args = "" }) {
      const skill = findSkill(definitions(), name);
      if (!skill) {
        const nearest = nearestName(
          name,
          offered().map((one) => one.name),
        );
        throw new ToolFailure(`There is no skill "${name}".${nearest ? ` Did you mean ${nearest}?` : ""}`);
      }
      if (isForPeople(skill.fields))
        throw new ToolFailure(`The skill ${name} is for the user to start (disable-model-invocation): ask them to type /${name}.`);
      await attach(skill);
      const after = skillText(skill, { args, sessionId });
      return { response: { success: true, commandName: name }, text: `Launching skill: ${name}`, after };
    },
  };
}

function isForPeople(fields: Definition["fields"]): boolean {
  return isOn(fields["disable-model-invocation"]);
}
