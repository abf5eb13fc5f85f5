export { createRecorder, type RecorderOptions, type Step, type TraceRecord, type TraceSink } from "./engine/step.ts";
export { type Damage, readTrace, type TraceContent, type TracePathInput, tracePath, traceRecords } from "./trace/append-file.ts";
export { createDebugPrinter, type DebugPrinterOptions, wantsDebug } from "./trace/debug-printer.ts";
export { createRedactor, type Redactor } from "./trace/redact.ts";
export {
  type BlobReference,
  createTraceWriter,
  readBlob,
  type TraceWriter,
  type TraceWriterOptions,
} from "./trace/trace-writer.ts";
