/** Every code of this package: `HL_<STAGE>_<WHAT>`. `docs/errors.md` has a row for each; a test keeps both equal. */
export type ErrorCode = "HL_CLI_USAGE" | "HL_CLI_UNKNOWN_EVENT" | "HL_CLI_UNKNOWN_SCHEMA" | "HL_CLI_UNKNOWN_TOOL" | "HL_CLI_PLATFORM";
