import type { AgentSession } from "../../../agent/index.ts";
import { counted } from "../../../diagnostic.ts";

/** The line below what is typed: what does not run, which model, how much it may do, and where. What matters most comes first: narrow terminals cut its end. */
export function statusText(
  { agent, permissions, hooks, isScripted }: Pick<AgentSession, "agent" | "permissions" | "hooks" | "isScripted">,
  folder: string,
): string {
  const waiting = hooks.notRunning();
  const idle = new Set(waiting.map(({ hook }) => hook.id));
  const shut = new Set(waiting.filter(({ blocks }) => blocks).map(({ hook }) => hook.id)).size;
  const off = idle.size - shut;
  const all = idle.size + hooks.admitted.filter(({ id }) => !idle.has(id)).length;
  const count = counted(all, "hook");
  const model = isScripted ? `script as ${agent.modelName()}` : agent.modelName();
  const parts = [model, permissions.mode, count, folder];
  if (idle.size === 0) return parts.join(" · ");
  const blocks = shut === 1 ? "blocks what it matches" : "block what they match";
  const what = off === 0 ? `${shut} of ${count} ${blocks}` : `${off} of ${count} will not run${shut === 0 ? "" : `, ${shut} ${blocks}`}`;
  return [`${what}: /hooks`, model, permissions.mode, folder].join(" · ");
}
