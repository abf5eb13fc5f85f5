/** More folders to work in: `/add-dir FOLDER`, and those of `--add-dir`. Each fires DirectoryAdded. */
import { statSync } from "node:fs";
import path from "node:path";
import type { AgentCore, Feature } from "../types.ts";

export function openDirectories(core: AgentCore): Feature {
  return {
    commands: {
      "add-dir": { description: "work in one more folder", usage: "FOLDER", run: (args, signal) => addDirectory(core, args, signal) },
    },
    async started() {
      for (const directory of core.addedDirectories) await core.fire("DirectoryAdded", { directory, source: "register_repo_root" });
    },
  };
}

async function addDirectory(core: AgentCore, given: string, signal: AbortSignal): Promise<string> {
  if (given === "") return "Say which folder: /add-dir FOLDER";
  const directory = path.resolve(core.cwd(), given.startsWith("~/") ? path.join(core.home, given.slice(2)) : given);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return `There is no folder ${directory}.`;
  if ([core.root, ...core.permissions.directories].includes(directory)) return `${directory} belongs to the workspace already.`;
  for (const diagnostic of core.permissions.update([{ type: "addDirectories", directories: [directory], destination: "session" }])) {
    core.report(diagnostic);
  }
  await core.fire("DirectoryAdded", { directory, source: "slash_command" }, signal);
  return `${directory} belongs to the workspace now.`;
}
