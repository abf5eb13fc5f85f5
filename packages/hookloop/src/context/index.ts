/** `hookloop/context`: work that survives `/clear`, compaction and the end of a session. docs/reference/context.md */

export { hookLog, isInternalCall } from "@hookloop/sdk";
export {
  atomicWriteFileSync,
  computePlanHash,
  getContextDir,
  getProjectRoot,
  isOwnText,
  MAX_FILE_SIZE,
  readState,
  writeState,
} from "./context-files.ts";
export {
  generateHandoffDocument,
  type Handoff,
  type HandoffParts,
  readHandoff,
  saveHandoff,
  type TakenHandoff,
  takeHandoff,
} from "./handoff.ts";
export { archivePlan, checkPlan, PLAN_EVALUATION_REMINDER, type PlanStanding, readPlan, signPlan } from "./plans.ts";
export {
  BlockRequest,
  type Determined,
  type DetermineOptions,
  determineContext,
  formatContextSummary,
  type ResolveOptions,
  resolveContext,
} from "./select-context.ts";
export {
  type ArchivedPlan,
  type ContextState,
  generateContextId,
  type HookInput,
  type HookOutput,
  MODE_MAP,
  type Mode,
  nowIso,
  type SavedHandoff,
  STATUS_ICONS,
  slugify,
  type Task,
  type TaskStatus,
} from "./state.ts";
export {
  adoptContext,
  bindSession,
  type CreateContextOptions,
  closeContext,
  createContext,
  getContextBySessionId,
  isOwnContext,
  listContexts,
  maybeActivate,
  saveState,
  stageContext,
} from "./store.ts";
export { captureGitState, type GitState, type GitStateOptions, type InferOptions, inferText } from "./surroundings.ts";
export { addTask, getTasks, type NewTask, type TaskChange, updateTask } from "./tasks.ts";
