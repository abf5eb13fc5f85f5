// An embedding program that keeps its hooks in another file, and loads that file in the way its argument says.
import { createRequire } from "node:module";
import { openHooks } from "hookloop";

const ways = {
  "import() after openHooks": async () => {
    const hooks = await openHooks({ cwd: process.cwd(), trust: "implicit" });
    return [hooks, await import("./definition.mjs")];
  },
  "import() before openHooks": async () => {
    const definitions = await import("./definition.mjs");
    return [await openHooks({ cwd: process.cwd(), trust: "implicit" }), definitions];
  },
  "import() in a function, a while before openHooks": async () => {
    const load = async () => import("./definition.mjs");
    const definitions = await load();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return [await openHooks({ cwd: process.cwd(), trust: "implicit" }), definitions];
  },
  "require()": async () => {
    const definitions = createRequire(import.meta.url)("./definition.mjs");
    return [await openHooks({ cwd: process.cwd(), trust: "implicit" }), definitions];
  },
};

const [hooks, { guard }] = await ways[process.argv[2]]();
hooks.on(guard);
const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
console.log((await hooks.runTool(call, () => "ran")).status);
await hooks.close();
console.log("end");
