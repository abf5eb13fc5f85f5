export { diffHunks, type Hunk } from "./diff-hunks.ts";
export { diffRecords } from "./diff-records.ts";
