export { codeTexts, type MentionedPath, mentionedPaths, pathsInText, pathTokens } from "./mentioned-paths.ts";
export { readGit } from "./programs/git-paths.ts";
export { touchedPaths, workTrees } from "./touched-paths.ts";
export type { Place, TouchedPath, WorkTree } from "./types.ts";
