export { createModuleRunner, type ModulePorts, type ModuleRunner } from "./module-runner.ts";
