import type { HookEngine } from "../engine/index.ts";
import { isInFolders } from "../permissions/index.ts";
import type { Programs } from "../run/index.ts";
import type { Definition, LiveDefinitions } from "./definitions/index.ts";
import { type AgentToolOptions, createAgentTool } from "./subagents/agent-tool.ts";
import {
  type AgentTool,
  type BackgroundShells,
  createBashTool,
  createSkillTool,
  createTodoTool,
  createWebFetchTool,
  editTool,
  globTool,
  grepTool,
  multiEditTool,
  notebookEditTool,
  readTool,
  writeTool,
} from "./tools/index.ts";

export interface BasicToolOptions {
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
