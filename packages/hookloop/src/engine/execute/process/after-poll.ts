import { timerDelay } from "../limits.ts";

/**
 * A timer that lets waiting input and exits be seen before it acts. After the host was busy for long, Node runs timers first:
 * a hook that answered in time would be called late, and its answer, already in the pipe, thrown away.
 */
export function afterPoll(act: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(() => setImmediate(act), timerDelay(ms));
}
