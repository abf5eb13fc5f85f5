import type { ToolInputs } from "@hookloop/sdk";
import { type CatalogueTool, ToolFailure } from "./types.ts";

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
