/** No configuration needs more; anything larger is refused before it is read. */
export const MAX_BYTES: number = 1024 * 1024;
/** Objects and lists inside each other. A hook entry stands at depth 6. */
export const MAX_DEPTH = 64;
/** After this many, more syntax errors are only counted: one slip can cause thousands. */
export const MAX_SYNTAX_ERRORS = 20;
