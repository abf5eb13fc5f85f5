export { diffRecords } from "./diff-records.ts";
