export { type AssessContext, type Assessment, assessCommand, type Crossing, type Fact, type Profile, type Risk } from "./assess/index.ts";
export { type ReadOptions, readCommand } from "./read-command.ts";
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
} from "./types.ts";
export { plainWords } from "./wrappers/plain-words.ts";
export { programName } from "./wrappers/program-name.ts";
