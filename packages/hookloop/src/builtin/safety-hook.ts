/** Judges shell commands by what they would do. An accident net, not a wall: docs/security.md says what it does not see. */

import { ask, deny } from "@hookloop/sdk";
import { assessCommand, type Fact, type Profile, readingOf } from "../shell/index.ts";
import type { ShippedHook } from "./index.ts";

interface SafetyOptions {
  readonly home: string;
  readonly profile?: Profile | undefined;
  /** The shell that runs commands. */
  readonly shell?: string | undefined;
}

export function safetyHook({ home, profile = "standard", shell }: SafetyOptions): ShippedHook<"PreToolUse"> {
  return {
    name: "safety",
    event: "PreToolUse",
    options: { tool: "Bash", guard: true },
    handler(input) {
      const { command } = input.tool_input as { readonly command?: unknown };
      if (typeof command !== "string") return undefined;
      const { risk, facts } = assessCommand(command, { cwd: input.cwd, home, profile, shell }, readingOf);
      if (risk === "allow") return undefined;
      const reason = reasonOf(facts.filter((fact) => fact.risk === risk));
      return risk === "deny" ? deny(reason) : ask(reason);
    },
  };
}

const MOST_FACTS = 3;

function reasonOf(facts: readonly Fact[]): string {
  const texts = [...new Set(facts.map(({ text }) => text))];
  const rest = texts.length > MOST_FACTS ? ` (and ${texts.length - MOST_FACTS} more)` : "";
  return `safety: ${texts.slice(0, MOST_FACTS).join("; ")}${rest}`;
}
