export { readCommand } from "./read-command.ts";
export { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "./types.ts";
