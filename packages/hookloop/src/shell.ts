export { assessCommand, plainWords, programName, readCommand, UNKNOWN } from "./shell/index.ts";
export type { ReadOptions } from "./shell/read-command.ts";
export type { AssessContext, Assessment, Crossing, Fact, Profile, Risk } from "./shell/rules/rule.ts";
export type {
  DoubtCode,
  ShellCommand,
  ShellDoubt,
  ShellReading,
  ShellRedirect,
  ShellStdin,
  ShellWord,
  Span,
  WordPart,
} from "./shell/types.ts";
