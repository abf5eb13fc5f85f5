import type { Batch } from "./messages.ts";

/** What is to be sent to the other side. */
export interface Outbox<Message> {
  readonly add: (message: Message) => void;
  /** Sends what waits, now. */
  flush(): void;
}

// As it was before a module could change it.
const { nextTick } = process;

/** Sends the messages of one moment together: as soon as no promise is left that could add one. */
export function createOutbox<Message>(send: (batch: Batch<Message>) => void): Outbox<Message> {
  let waiting: Message[] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) send(batch);
  };
  const add = (message: Message): void => {
    waiting.push(message);
    if (waiting.length === 1) nextTick(flush);
  };
  return { add, flush };
}
