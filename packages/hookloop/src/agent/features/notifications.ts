/** Tells hooks that somebody should look: permission is needed, an agent waits or has finished, nobody has typed anything for a while. */

import { setTimeout as sleep } from "node:timers/promises";
import type { AgentCore, Feature } from "./types.ts";

interface NotificationOptions {
  /** How long nobody types before it is said; a minute if left out. */
  readonly idleMs?: number | undefined;
}

const IDLE_MS = 60_000;
/** How long the agent waits for what a hook has to say to the model; a slow one is heard with a later message. */
const PATIENCE_MS = 1000;

export function openNotifications(core: AgentCore, { idleMs = IDLE_MS }: NotificationOptions = {}): Feature {
  const notify = async (notification_type: string, message: string): Promise<void> => {
    if (!core.hooks.has("Notification")) return;
    await core.fireAndRemind("Notification", { message, notification_type });
  };
  const idle = createIdleTimer({
    afterMs: idleMs,
    onIdle: () => void notify("idle_prompt", "The agent is waiting for your input"),
  });
  return {
    /** The question is put at once: a hook that plays a sound must not keep it from the screen. */
    async whileAsking({ tool_name, agent_id }, ask) {
      const told =
        typeof agent_id === "string"
          ? notify("agent_needs_input", `The agent ${agent_id} needs your permission to use ${tool_name}`)
          : notify("permission_prompt", `The agent needs your permission to use ${tool_name}`);
      const answer = await ask();
      await patiently(told);
      return answer;
    },
    async agentFinished({ id, description }) {
      await patiently(notify("agent_completed", `The agent ${id} (${description}) has finished`));
    },
    waitForInput: () => (core.isInteractive ? idle.start() : () => undefined),
    close: () => idle.close(),
  };
}

async function patiently(told: Promise<void>): Promise<void> {
  const patience = new AbortController();
  const over = sleep(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined);
  await Promise.race([told, over]);
  patience.abort();
}

/** A timer that says once that nobody has typed anything for a while. */
interface IdleTimer {
  /** The person has the word now; the function it returns: they used it. */
  start(): () => void;
  close(): void;
}

interface IdleOptions {
  readonly afterMs: number;
  readonly onIdle: () => void;
}

export function createIdleTimer({ afterMs, onIdle }: IdleOptions): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    start() {
      stop();
      timer = setTimeout(onIdle, afterMs).unref();
      return stop;
    },
    close: stop,
  };
}
