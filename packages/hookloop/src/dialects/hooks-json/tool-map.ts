/** How `.hooks.json` calls a tool of the agent, and that tool's input fields. */
interface ToolSpelling {
  readonly name: string;
  /** The agent's field → this dialect's; fields that are not listed keep their name. */
  readonly fields: Readonly<Record<string, string>>;
}

const PATH = { file_path: "path" };

/** By the agent's name. A tool that is not listed keeps its name and its fields in both directions. */
const SPELLINGS: Readonly<Record<string, ToolSpelling>> = {
  Bash: { name: "bash", fields: {} },
  Read: { name: "read_file", fields: PATH },
  Write: { name: "write_file", fields: PATH },
  Edit: { name: "edit_file", fields: { ...PATH, old_string: "old_text", new_string: "new_text" } },
};

type Input = Readonly<Record<string, unknown>>;

/** `Bash` → `bash`. */
export function toHooksJsonTool(agentName: string): string {
  return spellingOf(agentName)?.name ?? agentName;
}

/** `bash` → `Bash`. */
export function fromHooksJsonTool(name: string): string {
  return Object.keys(SPELLINGS).find((agentName) => SPELLINGS[agentName]?.name === name) ?? name;
}

/** The agent's input of a tool in this dialect's fields. */
export function toHooksJsonInput(agentName: string, input: Input): Input {
  return renamed(input, spellingOf(agentName)?.fields ?? {});
}

/** The other way round. */
export function fromHooksJsonInput(agentName: string, input: Input): Input {
  const fields = Object.entries(spellingOf(agentName)?.fields ?? {});
  return renamed(input, Object.fromEntries(fields.map(([agents, ours]) => [ours, agents])));
}

function spellingOf(agentName: string): ToolSpelling | undefined {
  return Object.hasOwn(SPELLINGS, agentName) ? SPELLINGS[agentName] : undefined;
}

function renamed(input: Input, names: Readonly<Record<string, string>>): Input {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [(Object.hasOwn(names, key) && names[key]) || key, value]));
}
