export { mainScript } from "../s4/main-script.ts";
export { hooksScript } from "./hooks-script.ts";
export { runScript } from "./script.ts";
