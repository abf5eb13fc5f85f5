import type { Declarations, HookDefinition } from "../hook/definition.ts";
import { mainScript } from "../hook-utils/main-script.ts";
import { hooksScript } from "./hooks-script.ts";
import type { Script } from "./script.ts";

// A file of its own in the bundle: most scripts have no main function, and start without it.

type Declared = Pick<Declarations, "definitions" | "mains">;

/** Everything that was declared as one script; nothing if that is nothing. `isGuarded`: the agent's settings call it a guard. */
export function scriptOf(declared: Declared, name: string, isGuarded: boolean = !!process.env["HOOKLOOP_GUARD"]): Script | undefined {
  const { definitions, mains } = isGuarded ? armed(declared) : declared;
  const scripts = [...(definitions[0] ? [hooksScript(definitions, name)] : []), ...mains.map(mainScript)];
  return scripts[1] ? together(scripts, name) : scripts[0];
}

/** What was declared, as guards. What cannot be read stays as it is, and counts as one anyway. */
export function armed({ definitions, mains }: Declared): Declared {
  const isFree = ({ options }: HookDefinition): boolean => typeof options === "object" && /boolean|undefined/.test(typeof options?.guard);
  return {
    definitions: definitions.map((one) => (isFree(one) ? { ...one, options: { ...one.options, guard: true } } : one)),
    mains: mains.map((main) => ({ ...main, guard: true })),
  };
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
