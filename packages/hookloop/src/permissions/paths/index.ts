export { comparableName, foldsCase } from "./case-folding.ts";
export { isInFolders } from "./is-in-folders.ts";
export {
  comparablePath,
  createRealPath,
  fileIdentity,
  isInside,
  isStillTarget,
  type RealTarget,
  realTarget,
} from "./real-target.ts";
