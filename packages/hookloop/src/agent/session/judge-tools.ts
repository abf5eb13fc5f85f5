import type { JudgeTools } from "../../engine/execute/index.ts";
import { inputCheck } from "../tools/check-input.ts";
import { globTool, grepTool, readTool } from "../tools/index.ts";
import type { AgentTool, ToolContext } from "../tools/types.ts";

/** What an agent hook may use: tools that read, and only inside the session's own process. Their calls fire no hooks (D15). */
export function judgeTools({ root, home }: Pick<ToolContext, "root" | "home">): JudgeTools {
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
        mayRead: () => true,
        moveTo: () => {},
      };
      const { text } = await found.tool.run(found.tool.resolve?.(call.input, context) ?? call.input, context);
      return text;
    },
  };
}
