export {
  type AppendFile,
  type FileLine,
  fileLines,
  openAppendFile,
  sessionName,
  textStart,
  tracePath,
  transcriptFolder,
} from "./append-file.ts";
export { createDebugPrinter, wantsDebug, wantsJson } from "./debug-printer.ts";
export { createRedactor, processRedactor, type Redactor } from "./redact.ts";
export { createTraceWriter, type TraceWriter } from "./trace-writer.ts";
