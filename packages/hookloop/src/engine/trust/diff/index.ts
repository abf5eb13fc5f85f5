export { diffHunks } from "./diff-hunks.ts";
export { diffRecords } from "./diff-records.ts";
