export { createRecorder, type RecorderOptions, type TraceRecord, type TraceSink, type TraceStep } from "../engine/index.ts";
export { type BlobReference, readBlob } from "./blob.ts";
export { createDebugPrinter, type DebugPrinterOptions, wantsDebug } from "./debug-printer.ts";
export { type Damage, readTrace, type TraceContent, traceRecords } from "./read-trace.ts";
export { createRedactor, type Redactor } from "./redact.ts";
export { type TracePathInput, tracePath } from "./trace-path.ts";
export { createTraceWriter, type TraceWriter, type TraceWriterOptions } from "./trace-writer.ts";
