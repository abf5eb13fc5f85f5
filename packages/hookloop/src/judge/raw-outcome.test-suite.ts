import type { RawOutcome } from "../run/types.ts";
import type { AdmittedHook } from "../trust/types.ts";

/** A hook as the gate would let it through; tests of reading never pass the gate. */
export function sampleHook(differences: Partial<AdmittedHook> = {}): AdmittedHook {
  const hook = {
    id: "project:PreToolUse:1a2b3c",
    name: "./guard.sh --secret-flag",
    event: "PreToolUse",
    target: { kind: "command", command: "./guard.sh --secret-flag", shell: "sh" },
    source: { scope: "project", dialect: "claude", root: "/srv/project", file: "/srv/project/.claude/settings.json" },
    place: { file: ".claude/settings.json", line: 7, column: 5 },
    order: 0,
    priority: 0,
    isGuard: false,
    onFailure: "continue",
    timeoutMs: 5000,
    isAsync: false,
    wakesAgent: false,
    once: false,
    passEnv: [],
    ...differences,
  };
  return hook as unknown as AdmittedHook;
}

/** A run that exited with 0 and printed nothing, but for the differences. */
export function rawOutcome(differences: Partial<RawOutcome> = {}): RawOutcome {
  return {
    hook: sampleHook(),
    durationMs: 12,
    stdout: "",
    stderr: "",
    exitCode: 0,
    isTruncated: false,
    pipesHeld: false,
    isBinary: false,
    ...differences,
  };
}
