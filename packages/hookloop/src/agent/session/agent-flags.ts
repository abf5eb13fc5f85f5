/** What was asked for on the command line, whatever the agent is shown in. */
export interface AgentFlags {
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly permissionMode?: string | undefined;
  readonly mcpConfig: readonly string[];
  readonly settings?: string | undefined;
  readonly pluginDirs: readonly string[];
  readonly addDirs: readonly string[];
  readonly model?: string | undefined;
  /** A file with the model's answers. */
  readonly script?: string | undefined;
  readonly agentType?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Id of the session to go on with; an empty text means the latest. */
  readonly resume?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly trustWorkspace: boolean;
  readonly trustedHooks: Readonly<Record<string, string>>;
  readonly requireHooks: boolean;
  readonly noProjectHooks: boolean;
  /** Start although a gate that was approved has changed: it blocks what it matches. */
  readonly allowChangedHooks?: boolean | undefined;
}

/** `Bash(git *, x),Read Write` is three rules: commas and blanks inside parentheses belong to the rule. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === undefined || (depth <= 0 && /[\s,]/.test(character))) {
      rules.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return rules.filter(Boolean);
}
