export { plainWords } from "./shell/programs/program.ts";
export { programName } from "./shell/programs/started.ts";
export { type ReadOptions, readCommand } from "./shell/read-command.ts";
export { assessCommand } from "./shell/rules/assess-command.ts";
export type { AssessContext, Assessment, Crossing, Fact, Profile, Risk } from "./shell/rules/rule.ts";
export {
  type DoubtCode,
  type ShellCommand,
  type ShellDoubt,
  type ShellReading,
  type ShellRedirect,
  type ShellStdin,
  type ShellWord,
  type Span,
  UNKNOWN,
  type WordPart,
} from "./shell/types.ts";
