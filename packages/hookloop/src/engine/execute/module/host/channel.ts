import { parentPort, workerData } from "node:worker_threads";
import { endOwnSession } from "../../process/run-processes.ts";
import type { Batch, FromHost, HostStart, ToHost } from "../messages.ts";
import { createOutbox } from "../outbox.ts";

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
  const outbox = createOutbox<FromHost>((batch) => port.postMessage(batch));
  return {
    start: workerData as HostStart,
    send: outbox.add,
    listen: (onMessage) => void port.on("message", (batch: Batch<ToHost>) => batch.forEach(onMessage)),
    sendAndExit: (message, code) => {
      outbox.add(message);
      outbox.flush();
      exit(code);
    },
  };
}

function childChannel(): HostChannel {
  const exit = process.exit.bind(process);
  const send = process.send?.bind(process);
  const sendThen = (batch: Batch<FromHost>, then: () => void): void => void send?.(batch, undefined, undefined, then);
  const outbox = createOutbox<FromHost>((batch) => sendThen(batch, () => {}));
  // SECURITY: an engine that is closed or killed leaves no hook behind, and nothing that the hook has started.
  process.on("disconnect", () => {
    endOwnSession();
    exit();
  });
  return {
    start: JSON.parse(process.argv[2] ?? "{}") as HostStart,
    send: outbox.add,
    listen: (onMessage) => void process.on("message", (batch) => (batch as Batch<ToHost>).forEach(onMessage)),
    sendAndExit: (message, code) => {
      outbox.flush();
      sendThen([message], () => exit(code));
    },
  };
}
