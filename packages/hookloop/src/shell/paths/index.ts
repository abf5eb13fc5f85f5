export { mentionedPaths, pathsInText } from "./mentioned-paths.ts";
export { readGit } from "./programs/git-paths.ts";
export { touchedPaths } from "./touched-paths.ts";
export type { Place, TouchedPath } from "./types.ts";
