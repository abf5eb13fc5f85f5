import type { AgentSession } from "../../../agent/index.ts";

/** The line below what is typed: which model, how much it may do, where, and what does not run. */
export function statusText({ agent, permissions, hooks }: Pick<AgentSession, "agent" | "permissions" | "hooks">): string {
  const off = hooks.refused.length;
  const parts = [
    agent.modelName(),
    permissions.mode,
    `${hooks.admitted.length} hooks`,
    ...(off > 0 ? [`${off} will not run: /hooks`] : []),
  ];
  return parts.join(" · ");
}
