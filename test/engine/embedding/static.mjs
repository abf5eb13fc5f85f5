// The same with a static import, which runs before everything else.
import { openHooks } from "hookloop";
import { guard } from "./definition.mjs";

const hooks = await openHooks({ cwd: process.cwd(), trust: "implicit" });
hooks.on(guard);
const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
console.log((await hooks.runTool(call, () => "ran")).status);
await hooks.close();
console.log("end");
