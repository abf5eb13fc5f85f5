import type { ToolInputs } from "@hookloop/sdk";
import { nearestName } from "../../diagnostic.ts";
import type { HookEngine } from "../../engine/index.ts";
import { isInFolders } from "../../permissions/index.ts";
import type { Programs } from "../../run/index.ts";
import type { Definition, LiveDefinitions } from "../definitions.ts";
import { findSkill, isOn, skillText } from "../load-instructions.ts";
import { type AgentToolOptions, createAgentTool } from "./agent-tool.ts";
import { type BackgroundShells, createBashTool } from "./bash.ts";
import { editTool, multiEditTool, notebookEditTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { type AgentTool, type CatalogueTool, ToolFailure } from "./types.ts";
import { createWebFetchTool } from "./web-fetch.ts";
import { writeTool } from "./write.ts";

interface BasicToolOptions {
  readonly programs: Programs;
  readonly definitions: LiveDefinitions;
  readonly shells: BackgroundShells;
  readonly agents: Omit<AgentToolOptions, "definitions">;
  readonly attach: (skill: Definition) => Promise<void>;
}

/** Puts the hooks of a skill into force, once, until the session ends. */
export function createAttach(hooks: HookEngine, definitions: LiveDefinitions): BasicToolOptions["attach"] {
  const attached = new Set<string>();
  return async ({ name, head, file }) => {
    if (attached.has(file)) return;
    attached.add(file);
    await hooks.attach({ text: head, file, skill: name, isEdited: definitions.isEdited(file) });
  };
}

/** The tools every session has; features add theirs. */
export function basicTools({ programs, definitions, shells, agents, attach }: BasicToolOptions): readonly AgentTool[] {
  const tools = [
    createBashTool({ programs, background: shells, isOutside: (folder, { directories }) => !isInFolders(folder, directories) }),
    readTool,
    writeTool,
    editTool,
    multiEditTool,
    notebookEditTool,
    globTool,
    grepTool,
    createTodoTool(),
    createWebFetchTool(),
    createAgentTool({ ...agents, definitions: () => definitions.current().agents }),
    createSkillTool({ definitions: () => definitions.current().skills, sessionId: agents.sessionId, attach }),
  ];
  // Each tool knows its own input; the toolbox has checked it before the tool sees it.
  return tools as readonly unknown[] as readonly AgentTool[];
}

interface SkillToolOptions {
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

type Todos = ToolInputs["TodoWrite"]["todos"];

/** Keeps the agent's list of things to do. */
export function createTodoTool(): CatalogueTool<"TodoWrite"> {
  let todos: Todos = [];
  return {
    name: "TodoWrite",
    description: "Writes the whole list of things to do. At most one is in_progress.",
    async run({ todos: next }) {
      const problem = problemOf(next);
      if (problem) throw new ToolFailure(problem);
      const oldTodos = todos;
      todos = next;
      const lines = next.map(({ content, status }) => `- [${MARKS[status]}] ${content}`);
      return { response: { oldTodos, newTodos: next }, text: lines.join("\n") || "The list is empty." };
    },
  };
}

const MARKS: Readonly<Record<Todos[number]["status"], string>> = { pending: " ", in_progress: "~", completed: "x" };

function problemOf(todos: Todos): string | undefined {
  if (todos.some(({ content }) => content.trim() === "")) return "A thing to do has no content.";
  const active = todos.filter(({ status }) => status === "in_progress");
  if (active.length > 1) return `${active.length} things are in_progress; at most one can be.`;
  const contents = todos.map(({ content }) => content);
  const twice = contents.find((content, index) => contents.indexOf(content) !== index);
  return twice === undefined ? undefined : `"${twice}" is in the list twice.`;
}
