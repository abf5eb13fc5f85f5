/** A permission rule: `Tool` or `Tool(spec)`. */
export interface Rule {
  /** May hold `*`. */
  readonly tool: string;
  /** Absent: every call of the tool. `*` counts as absent. */
  readonly spec?: string | undefined;
}

const RULE = /^([A-Za-z*][\w\-*]*|mcp__[\w\-*.]+)(?:\((.*)\))?$/s;

/** Reads a rule; nothing if it is none. */
export function parseRule(text: string): Rule | undefined {
  const [, tool, spec] = RULE.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  const trimmed = spec?.trim();
  return trimmed === undefined || trimmed === "" || trimmed === "*" ? { tool } : { tool, spec: trimmed };
}
