import type { Permissions } from "../../permissions/index.ts";
import type { JudgeTools } from "../../run/index.ts";
import { inputCheck } from "../tools/check-input.ts";
import { createMayRead } from "../tools/checked-call.ts";
import { globTool, grepTool, readTool } from "../tools/index.ts";
import type { AgentTool, ToolContext } from "../tools/types.ts";

export interface JudgePlace extends Pick<ToolContext, "root" | "home"> {
  /** The session's rules, once there are any: what the agent may not read, its hooks may not either. */
  readonly permissions: () => Permissions | undefined;
}

/** What an agent hook may use: tools that read, and only inside the session's own process. Their calls fire no hooks (D15). */
export function judgeTools({ root, home, permissions }: JudgePlace): JudgeTools {
  const tools = [readTool, globTool, grepTool].map((tool) => {
    const one = tool as unknown as AgentTool;
    return { tool: one, check: inputCheck(one) };
  });
  return {
    offered: tools.map(({ tool: { name, description }, check: { jsonSchema } }) => ({ name, description, input_schema: jsonSchema })),
    async run(call, { cwd, signal }) {
      const found = tools.find(({ tool }) => tool.name === call.name);
      if (!found) throw new Error(`There is no tool ${call.name}.`);
      const problem = found.check.problemOf(call.input);
      if (problem !== undefined) throw new Error(`The input of ${call.name} is not valid: ${problem}`);
      const context: ToolContext = {
        cwd,
        root,
        home,
        directories: [root],
        env: () => ({}),
        signal,
        toolUseId: call.id,
        targetOf: (path) => ({ path }),
        mayRead: createMayRead(permissions(), { cwd, root, home }),
        moveTo: () => {},
      };
      const input = found.tool.resolve?.(call.input, context) ?? call.input;
      const file = input["file_path"];
      if (typeof file === "string" && !context.mayRead(file)) throw new Error(`A rule forbids reading ${file}.`);
      const { text } = await found.tool.run(input, context);
      return text;
    },
  };
}
