export { type AppendFile, openAppendFile, sessionName, tracePath, transcriptFolder } from "./append-file.ts";
export { type FileLine, fileLines, textStart } from "./read-trace.ts";
export { createRedactor, processRedactor, type Redactor } from "./redact.ts";
export { createDebugPrinter, createTraceWriter, type TraceWriter, wantsDebug } from "./trace-writer.ts";
