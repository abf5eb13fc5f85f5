export { hasAny, readArguments } from "../arguments/program-arguments.ts";
export { isHarmlessSetting } from "../assess/git/settings.ts";
export { type GivenFile, givenFiles } from "./given-files.ts";
export {
  type CodeOnLine,
  codeOnLine,
  codeTexts,
  type MentionedPath,
  mentionedPaths,
  pathsInText,
  pathTokens,
  placesOfText,
  unknownOperands,
} from "./mentioned-paths.ts";
export { readGit } from "./programs/git-paths.ts";
export { touchedPaths, workTrees } from "./touched-paths.ts";
export type { Place, TouchedPath, WorkTree } from "./types.ts";
