import type { AgentSession } from "../../../agent/index.ts";
import { counted } from "../../../wording.ts";

/** The line below what is typed: what does not run, which model, how much it may do, and where. What matters most comes first: narrow terminals cut its end. */
export function statusText(
  { agent, permissions, hooks, isScripted }: Pick<AgentSession, "agent" | "permissions" | "hooks" | "isScripted">,
  folder: string,
): string {
  const idle = new Set(hooks.notRunning().map(({ hook }) => hook.id));
  const off = idle.size;
  const all = off + hooks.admitted.filter(({ id }) => !idle.has(id)).length;
  const count = counted(all, "hook");
  const model = isScripted ? `script as ${agent.modelName()}` : agent.modelName();
  const parts = [model, permissions.mode, count, folder];
  return (off > 0 ? [`${off} of ${count} will not run: /hooks`, model, permissions.mode, folder] : parts).join(" · ");
}
