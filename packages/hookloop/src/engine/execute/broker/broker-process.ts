// The broker itself: a small Node process that runs programs for a large one, with the same `runProgram`.
// Takes programs over its channel; gives their pid and how they ended. When the channel closes it ends what runs, and itself.
import { runProgram } from "../process-group.ts";
import type { FromBroker, ToBroker } from "./messages.ts";

const running = new Map<number, AbortController>();

function say(message: FromBroker): void {
  if (!process.connected) return;
  process.send?.(message, undefined, undefined, () => {
    // The engine is gone; "disconnect" follows and ends everything.
  });
}

async function run({ id, program }: Extract<ToBroker, { kind: "run" }>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const end = await runProgram({ ...program, onStart: (pid) => say({ kind: "started", id, pid }), signal: controller.signal });
  running.delete(id);
  say({ kind: "ended", id, end });
  if (running.size === 0 && !process.connected) process.exit();
}

process.on("message", (message: ToBroker) => {
  if (message.kind === "run") void run(message);
  else running.get(message.id)?.abort();
});

// SECURITY: an engine that is closed or killed leaves no hook behind.
process.on("disconnect", () => {
  if (running.size === 0) process.exit();
  for (const controller of running.values()) controller.abort();
});

say({ kind: "ready" });
