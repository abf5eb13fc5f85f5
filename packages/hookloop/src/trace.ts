export { createRecorder, type RecorderOptions, type Step, type TraceRecord, type TraceSink } from "./engine/step.ts";
export { type Damage, readTrace, type TraceContent, type TracePathInput, tracePath, traceRecords } from "./trace/append-file.ts";
export { createRedactor, type Redactor } from "./trace/redact.ts";
export {
  type BlobReference,
  createDebugPrinter,
  createTraceWriter,
  type DebugPrinterOptions,
  readBlob,
  type TraceWriter,
  type TraceWriterOptions,
  wantsDebug,
} from "./trace/trace-writer.ts";
