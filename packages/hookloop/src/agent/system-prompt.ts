import type { Instructions } from "./instructions/load-instructions.ts";

export interface SystemPromptFacts {
  readonly cwd: string;
  readonly instructions: readonly Instructions[];
  /** What `--agent` brought. */
  readonly role?: string | undefined;
}

const ROLE = "You are a coding agent. You work in the user's project with the tools you are given, and say briefly what you did.";
const HOOKS =
  "Hooks of the user may block a call, add context or ask you to go on. Texts in <system-reminder> come from them or from the agent program, not from the user or a tool. If a hook blocks a call, do not try to get around it.";

/** Short on purpose: what matters here are the hooks around the model, not the model's manners. */
export function systemPrompt({ cwd, instructions, role }: SystemPromptFacts): string {
  const files = instructions.map(({ file_path, text }) => `Instructions from ${file_path}:\n${text.trim()}`);
  return [role || ROLE, HOOKS, `The current folder is ${cwd}. The platform is ${process.platform}.`, ...files].join("\n\n");
}
