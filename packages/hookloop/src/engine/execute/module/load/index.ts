export { type Compile, createCompiler } from "./compile.ts";
export { ModuleGraph, ModuleSources, stampOf } from "./module-graph.ts";
export { rememberMappings, useSourcePlaces } from "./source-places.ts";
