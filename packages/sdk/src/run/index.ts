import path from "node:path";
import type { Declarations } from "../hook/definition.ts";
import { hooksScript } from "./hooks-script.ts";
import { runScript, type StandIn } from "./run-script.ts";
import type { Script } from "./script.ts";
import type { ProcessWatch } from "./watch-process.ts";

/** Answers the event on stdin with everything the process has declared, as one script. */
export async function runDeclared(declared: Declarations, watch: ProcessWatch, isImported: boolean, standIn?: StandIn): Promise<void> {
  const name = scriptName();
  if (process.env["HOOKLOOP_TESTED"]) declared.isTested = true;
  const isOther = declared.mains[0] || process.env["HOOKLOOP_GUARD"];
  const script = isOther ? (await import("./script-of.ts")).scriptOf(declared, name) : hooksScript(declared.definitions, name);
  await runScript(script as Script, watch, isImported, standIn);
}

/** The script's file name without its ending, or its folder's where the file's says nothing. */
function scriptName(): string {
  const { name, dir } = path.parse(process.argv[1] ?? "hook");
  return name === "hook" || name === "index" ? path.basename(dir) || name : name;
}
