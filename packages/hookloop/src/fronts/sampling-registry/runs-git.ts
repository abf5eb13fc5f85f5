import path from "node:path";
import { readCommand } from "../../shell/index.ts";

/** Whether a shell command runs git, through whatever wraps it. What cannot be read to the end counts as if it did. */
export function runsGit(command: string): boolean {
  const { commands, isUncertain } = readCommand(command);
  // SECURITY: a guard on git must not be passed by a command nobody can read.
  return isUncertain || commands.some(({ words }) => path.basename(words[0]?.text ?? "") === "git");
}
