export { CASES_ENDING, stemOf } from "./read-cases.ts";
export { type CaseResult, limitTo, runCasesFile, runShippedCases, type SuiteResult } from "./run-cases.ts";
