import type { Command } from "commander";
import type { VerifyOptions } from "../verify-audits.ts";

const HELP = `
Examples:
  hookloop trace verify
  hookloop trace verify 3f0c8a52-6f1c-4d3e-9f6f-0b8a552f6f1c
  hookloop trace verify audit.jsonl --head audit-head.json --json

The hook "audit" writes these files: {"use": ["audit"]}. Exit codes: 0 as they were
written, 1 something was changed, removed, moved or added, 2 wrong usage.`;

/** `hookloop trace` and what belongs to it. */
export function addTraceCommand(program: Command, setExitCode: (code: number) => void): void {
  const trace = program.command("trace").description("check the audit files of sessions").addHelpText("after", HELP);
  trace
    .command("verify")
    .description("say whether audit files are as they were written, and which lines are not")
    .argument("[what]", "a file, or the id of a session; all sessions of this folder if left out")
    .option("--head <file>", "the head of the file, if it is not in the state folder")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (what: string | undefined, options: VerifyOptions) => {
      const { verifyAll } = await import("../verify-audits.ts");
      setExitCode(verifyAll(what, options) ? 0 : 1);
    });
}
