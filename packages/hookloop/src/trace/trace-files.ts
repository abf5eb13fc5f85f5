import * as fs from "node:fs";

/** The file functions a writer uses: real ones, or ones that fail on purpose in tests. */
export type TraceFiles = Pick<typeof fs, "openSync" | "closeSync" | "fstatSync" | "fsyncSync" | "ftruncateSync" | "readSync" | "writeSync">;

export const REAL_FILES: TraceFiles = fs;
