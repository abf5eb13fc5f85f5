export { createCompiler } from "./compile.ts";
export { ModuleGraph, ModuleSources, stampOf } from "./module-graph.ts";
export { hushLoader } from "./native-import.ts";
export { isOwnModule } from "./resolve-file.ts";
export { useSourcePlaces } from "./source-places.ts";
