import type { Declarations } from "../hook/declarations.ts";
import { mainScript } from "../s4/main-script.ts";
import { hooksScript } from "./hooks-script.ts";
import type { Script } from "./script.ts";

// A file of its own in the bundle: most scripts have no main function, and start without it.

/** Everything that was declared as one script; nothing if that is nothing. */
export function scriptOf({ definitions, mains }: Pick<Declarations, "definitions" | "mains">, name: string): Script | undefined {
  const scripts = [...(definitions[0] ? [hooksScript(definitions, name)] : []), ...mains.map(mainScript)];
  return scripts[1] ? together(scripts, name) : scripts[0];
}

function together(scripts: readonly Script[], name: string): Script {
  return {
    name,
    isGuard: scripts.some(({ isGuard }) => isGuard),
    event: "",
    failureExitCode: scripts.some(({ failureExitCode }) => failureExitCode === 1) ? 1 : 0,
    answer: (parsed, listener) => Promise.all(scripts.map((script) => script.answer(parsed, listener))),
  };
}
