export {
  type AppendFile,
  type FileLine,
  fileLines,
  openAppendFile,
  textStart,
  tracePath,
  transcriptFolder,
} from "./append-file.ts";
export { createRedactor, processRedactor, type Redactor } from "./redact.ts";
export { createDebugPrinter, createTraceWriter, type TraceWriter, wantsDebug } from "./trace-writer.ts";
