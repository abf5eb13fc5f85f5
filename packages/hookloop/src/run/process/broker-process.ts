// The broker itself: a small Node process that runs programs for a large one, with the same code.
// Takes programs over its channel; gives their pid and how they ended. When the channel closes it ends what runs, and itself.

import type { FromBroker, ToBroker } from "./broker.ts";
import { startProgram } from "./process-group.ts";

interface Running {
  abort(): void;
  allow(ms: number): void;
}

const running = new Map<number, Running>();

function say(message: FromBroker): undefined {
  if (!process.connected) return;
  process.send?.(message, undefined, undefined, () => {
    // The engine is gone; "disconnect" follows and ends everything.
  });
}

async function run({ id, program: { tellsFirstLine, ...program } }: Extract<ToBroker, { kind: "run" }>): Promise<void> {
  const controller = new AbortController();
  // The engine knows what the line means; here the program just continues.
  const onFirstLine = (line: string): undefined => say({ kind: "line", id, line });
  const started = startProgram({
    ...program,
    onStart: (pid) => say({ kind: "started", id, pid }),
    ...(tellsFirstLine && { onFirstLine }),
    signal: controller.signal,
  });
  running.set(id, { abort: () => controller.abort(), allow: started.allow });
  const end = await started.end;
  running.delete(id);
  say({ kind: "ended", id, end });
  if (running.size === 0 && !process.connected) process.exit();
}

process.on("message", (message: ToBroker) => {
  if (message.kind === "run") void run(message);
  else if (message.kind === "allow") running.get(message.id)?.allow(message.ms);
  else running.get(message.id)?.abort();
});

// SECURITY: an engine that is closed or killed leaves no hook behind.
process.on("disconnect", () => {
  if (running.size === 0) process.exit();
  for (const one of running.values()) one.abort();
});

say({ kind: "ready" });
