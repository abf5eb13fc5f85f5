export { createModuleRunner } from "./module-runner.ts";
