export { type Arguments, hasAny, readArguments, valuesOf } from "./arguments.ts";
export { folderOf, liesIn, type Place, type TouchedPath, type WorkTree } from "./paths/claims.ts";
export { readGit } from "./paths/git-paths.ts";
export { type GivenFile, givenFiles } from "./paths/given-files.ts";
export { filledPlaces, handedPlaces, listedPlaces } from "./paths/handed-folders.ts";
export { touchesUncomputed } from "./paths/listing.ts";
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
} from "./paths/mentioned-paths.ts";
export { moduleWords } from "./paths/reading.ts";
export { touchedPaths, workTrees } from "./paths/touched-paths.ts";
export { aliasedInLine, isHarmlessSetting, splitGit } from "./programs/git.ts";
export { isKnownTo, optionForms, plainWords, type QuietOptions, quietOptions, takesNextWord } from "./programs/program.ts";
export { programName } from "./programs/started.ts";
export { readCommand, readingOf } from "./read-command.ts";
export { assessCommand, crossingsOf } from "./rules/assess-command.ts";
export type { Crossing, Fact, Profile } from "./rules/rule.ts";
export { type DoubtCode, type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "./types.ts";
export { blanked, expandBraces, loadParser, OUTPUT_VARIABLE, remembered, wordSet } from "./words.ts";
