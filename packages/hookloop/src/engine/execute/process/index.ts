export { createLeftovers, type Leftovers } from "./leftovers.ts";
export { reapOrphans } from "./orphans.ts";
export { OutputBuffer } from "./output-buffer.ts";
export { FirstLine } from "./output-watch.ts";
export { runProgram, startProgram } from "./process-group.ts";
export { groupMembers, isRunning, type ProcessIdentity, readStat, signalGroup } from "./process-identity.ts";
export { PROCESS_LIMITS, type ProcessLimits, type Program, type ProgramEnd } from "./program.ts";
export { readAncestry } from "./read-run-files.ts";
export { createRunFile, type RunFile } from "./run-file.ts";
