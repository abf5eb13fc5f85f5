import path from "node:path";
import type { Declarations } from "../hook/declarations.ts";
import { mainScript } from "../s4/main-script.ts";
import { hooksScript } from "./hooks-script.ts";
import { runScript } from "./run-script.ts";
import type { Script } from "./script.ts";
import type { ProcessWatch } from "./watch-process.ts";

/** Answers the event on stdin with everything the process has declared, as one script. */
export async function runDeclared({ definitions, mains }: Declarations, watch: ProcessWatch, isImported: boolean): Promise<void> {
  const scripts = [...(definitions[0] ? [hooksScript(definitions, scriptName())] : []), ...mains.map(mainScript)];
  await runScript(scripts[1] ? together(scripts) : (scripts[0] as Script), watch, isImported);
}

function together(scripts: readonly Script[]): Script {
  return {
    name: scriptName(),
    isGuard: scripts.some(({ isGuard }) => isGuard),
    event: "",
    failureExitCode: scripts.some(({ failureExitCode }) => failureExitCode === 1) ? 1 : 0,
    answer: (parsed, listener) => Promise.all(scripts.map((script) => script.answer(parsed, listener))),
  };
}

/** The script's file name without its ending, or its folder's where the file's says nothing. */
function scriptName(): string {
  const { name, dir } = path.parse(process.argv[1] ?? "hook");
  return name === "hook" || name === "index" ? path.basename(dir) || name : name;
}
