/** Judges shell commands by what they would do. It prevents accidents, it is no security boundary: docs/security.md says what it does not see. */

import { ask, deny, type HookHandler } from "@hookloop/sdk";
import type { SessionPlace } from "../engine/index.ts";
import { assessCommand, type Fact, type Profile, readingOf } from "../shell/index.ts";
import { commandsOf } from "./call-effect.ts";
import type { ShippedHook } from "./index.ts";

export interface SafetyOptions {
  readonly profile?: Profile | undefined;
}

export function safety({ home, env }: Pick<SessionPlace, "home" | "env">, { profile = "standard" }: SafetyOptions = {}): ShippedHook {
  const shell = env["SHELL"];
  const judge: HookHandler<"PreToolUse", string> = (call) => {
    const { cwd } = call;
    const found = commandsOf(call, home).map((command) => assessCommand(command, { cwd, home, profile, shell }, readingOf));
    const risk = (["deny", "ask"] as const).find((one) => found.some((assessed) => assessed.risk === one));
    if (risk === undefined) return undefined;
    const reason = reasonOf(found.flatMap(({ facts }) => facts.filter((fact) => fact.risk === risk)));
    return risk === "deny" ? deny(reason) : ask(reason);
  };
  return { name: "safety", parts: [{ event: "PreToolUse", options: { guard: true }, handler: judge }] };
}

const MOST_FACTS = 3;

function reasonOf(facts: readonly Fact[]): string {
  const texts = [...new Set(facts.map(({ text }) => text))];
  const rest = texts.length > MOST_FACTS ? ` (and ${texts.length - MOST_FACTS} more)` : "";
  return `safety: ${texts.slice(0, MOST_FACTS).join("; ")}${rest}`;
}
