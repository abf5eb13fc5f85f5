/** The longest line of a trace; larger bodies go to files beside it. */
export const RECORD_LIMIT: number = 256 * 1024;
/** What is kept in memory when no file can be written. */
export const RING_LIMIT: number = 4 * 1024 * 1024;
