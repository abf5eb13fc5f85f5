export { readCommand } from "./read-command.ts";
export { type ShellCommand, type ShellReading, UNKNOWN } from "./types.ts";
