import type { Programs } from "../engine/execute/index.ts";
import type { HookEngine } from "../engine/hook-engine.ts";
import { isInFolders } from "../permissions/index.ts";
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
  readonly hooks: HookEngine;
  readonly programs: Programs;
  readonly definitions: LiveDefinitions;
  readonly shells: BackgroundShells;
  readonly agents: Omit<AgentToolOptions, "definitions">;
}

/** The tools every session has; features add theirs. */
export function basicTools({ hooks, programs, definitions, shells, agents }: BasicToolOptions): readonly AgentTool[] {
  const attached = new Set<string>();
  const attach = async ({ name, head, file }: Definition): Promise<void> => {
    if (attached.has(file)) return;
    attached.add(file);
    // In force until the session ends.
    await hooks.attach({ text: head, file, skill: name, isEdited: definitions.isEdited(file) });
  };
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
    createSkillTool({ definitions: () => definitions.current().skills, attach }),
  ];
  // Each tool knows its own input; the toolbox has checked it before the tool sees it.
  return tools as readonly unknown[] as readonly AgentTool[];
}
