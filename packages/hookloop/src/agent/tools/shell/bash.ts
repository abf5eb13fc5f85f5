import { rmSync } from "node:fs";
import path from "node:path";
import { type ProgramEnd, type Programs, systemProgram } from "../../../engine/execute/index.ts";
import { readWithin } from "../../../permissions/index.ts";
import { toldOf } from "../../../wording.ts";
import { shownOutput } from "../shown-output.ts";
import { type CatalogueTool, type ToolContext, ToolFailure, type ToolOutput } from "../types.ts";
import type { BackgroundShells } from "./background-shells.ts";

const DEFAULT_LIMIT_MS = 120_000;
const LONGEST_LIMIT_MS = 600_000;
const LONGEST_PATH = 16 * 1024;
const KEPT_BYTES = 8 * 1024 * 1024;

/** The trap also runs after `exit`. Both texts are quoted, and no variable or argument of the shell is used: the command may change those. */
function scriptOf(command: string, place: string): string {
  return `trap ${quoted(`pwd -P 2>/dev/null >${quoted(place)}`)} EXIT; eval ${quoted(command)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export interface BashOptions {
  readonly programs: Programs;
  readonly background: BackgroundShells;
  /** The folder a command ended in lies outside the workspace. */
  readonly isOutside: (folder: string, context: ToolContext) => boolean;
}

export function createBashTool({ programs, background, isOutside }: BashOptions): CatalogueTool<"Bash"> {
  let folder: string | undefined;
  let count = 0;
  return {
    name: "Bash",
    description:
      "Runs a command with bash in the current folder; `cd` lasts. Gives what it printed. timeout is in milliseconds " +
      `(${DEFAULT_LIMIT_MS} if left out, at most ${LONGEST_LIMIT_MS}). run_in_background starts it and goes on.`,
    async run({ command, timeout = DEFAULT_LIMIT_MS, run_in_background: isBackground }, context) {
      const { env, cwd, root } = context;
      const file = systemProgram("bash", { env: env(), root });
      if (file === undefined) throw new ToolFailure("bash was not found in PATH outside of the project.");
      const program = { file, isShell: false, env: env(), cwd, fallbackCwd: root, stdin: Buffer.alloc(0) };
      if (isBackground) return background.start(command, program);
      folder ??= programs.makeFolder("bash");
      const place = path.join(folder, `cwd-${++count}`);
      try {
        const end = await programs.run(
          {
            ...program,
            // With a socket as stdin bash takes itself for a remote shell and reads ~/.bashrc.
            args: ["--norc", "-c", scriptOf(command, place)],
            timeoutMs: Math.min(Math.max(timeout, 1), LONGEST_LIMIT_MS),
            limits: { stdoutBytes: KEPT_BYTES, stderrBytes: KEPT_BYTES, floodFactor: 64 },
            signal: context.signal,
          },
          { text: "a Bash command" },
        );
        const note = follow(place, context, isOutside);
        return outputOf(end, [cut(end.isTruncated), missing(end.missingCwd, root), note]);
      } finally {
        rmSync(place, { force: true });
      }
    },
    textOf: (response) => {
      const { stdout = "", stderr = "" } = response as { readonly stdout?: string; readonly stderr?: string };
      return printed(stdout, stderr);
    },
  };
}

function outputOf(end: ProgramEnd, notes: readonly (string | undefined)[]): ToolOutput {
  const { stdout, stderr, exitCode, failure } = end;
  const said = notes.filter((note) => note !== undefined);
  const text = [printed(stdout, stderr), ...said].filter(Boolean).join("\n");
  if (failure?.kind === "exit" || (!failure && exitCode !== 0))
    throw new ToolFailure(`Exit code ${exitCode}\n${stderr}`.trimEnd(), `Exit code ${exitCode}\n${text}`.trimEnd());
  const ended = failure && toldOf("The command", failure.text);
  if (ended !== undefined) throw new ToolFailure(ended, `${ended}\n${text}`.trimEnd());
  return { response: { stdout, stderr, interrupted: false, isImage: false, noOutputExpected: false }, text: text || "(no output)" };
}

function printed(stdout: string, stderr: string): string {
  return shownOutput([stdout.trimEnd(), stderr.trimEnd()].filter(Boolean).join("\n"));
}

/** The agent goes where the command has gone, but not out of the workspace. */
function follow(place: string, context: ToolContext, isOutside: BashOptions["isOutside"]): string | undefined {
  const folder = readPlace(place);
  if (folder === undefined || folder === context.cwd) return undefined;
  if (isOutside(folder, context)) return `(the folder is ${context.cwd} again: ${folder} is outside the workspace)`;
  context.moveTo(folder);
  return undefined;
}

function readPlace(file: string): string | undefined {
  // The command may have put anything in its place. If it was killed, or replaced the trap, the agent stays where it is.
  const found = readWithin(file, { limit: LONGEST_PATH });
  return found.kind === "read" ? found.bytes.toString().replace(/\n$/, "") || undefined : undefined;
}

function cut(isCut: boolean): string | undefined {
  return isCut ? `(it printed more than is kept, ${KEPT_BYTES} bytes; the middle is lost. Redirect it to a file.)` : undefined;
}

function missing(folder: string | undefined, root: string): string | undefined {
  return folder === undefined ? undefined : `(the folder ${folder} does not exist any more; the command ran in ${root})`;
}
