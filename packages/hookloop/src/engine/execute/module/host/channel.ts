import { parentPort, workerData } from "node:worker_threads";
import type { FromHost, HostStart, ToHost } from "../messages.ts";

/** The way between a host and the engine: a worker's port, or a child's channel. */
export interface HostChannel {
  readonly start: HostStart;
  send(message: FromHost): void;
  listen(onMessage: (message: ToHost) => void): void;
  /** Sends a last message and ends. */
  sendAndExit(message: FromHost, code: number): void;
}

export function openChannel(): HostChannel {
  return parentPort ? workerChannel(parentPort) : childChannel();
}

function workerChannel(port: NonNullable<typeof parentPort>): HostChannel {
  const exit = process.exit.bind(process);
  return {
    start: workerData as HostStart,
    send: (message) => port.postMessage(message),
    listen: (onMessage) => void port.on("message", onMessage),
    sendAndExit: (message, code) => {
      port.postMessage(message);
      exit(code);
    },
  };
}

function childChannel(): HostChannel {
  const exit = process.exit.bind(process);
  const send = process.send?.bind(process);
  const sendThen = (message: FromHost, then: () => void): void => void send?.(message, undefined, undefined, then);
  // SECURITY: an engine that is closed or killed leaves no hook behind.
  process.on("disconnect", () => exit());
  return {
    start: JSON.parse(process.argv[2] ?? "{}") as HostStart,
    send: (message) => sendThen(message, () => {}),
    listen: (onMessage) => void process.on("message", onMessage as (message: unknown) => void),
    sendAndExit: (message, code) => sendThen(message, () => exit(code)),
  };
}
