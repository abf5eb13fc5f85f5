export { comparableName, foldsCase } from "./case-folding.ts";
export { isInFolders } from "./is-in-folders.ts";
export { ownGitFolders, ownRepository } from "./own-repository.ts";
export {
  absoluteSearchPath,
  configFolder,
  gitRoot,
  insideFolders,
  insideProject,
  isOwn,
  isThere,
  notedGitFolders,
  type ProgramPlace,
  type ProjectPlace,
  projectRoot,
  type ReadFile,
  readWithin,
  realFolder,
  systemSearchPath,
  usersSearchPath,
  type Within,
} from "./project-files.ts";
export {
  comparablePath,
  createRealPath,
  fileIdentity,
  isInside,
  isStillTarget,
  type RealTarget,
  realTarget,
} from "./real-target.ts";
