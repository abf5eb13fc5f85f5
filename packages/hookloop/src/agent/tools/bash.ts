import { closeSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { toldOf } from "../../diagnostic.ts";
import { readWithin } from "../../permissions/index.ts";
import { type ProgramEnd, type Programs, systemProgram } from "../../run/index.ts";
import { isFolder } from "../../state-files.ts";
import { type CatalogueTool, shownOutput, type ToolContext, ToolFailure, type ToolOutput } from "./types.ts";

const DEFAULT_LIMIT_MS = 120_000;
const LONGEST_LIMIT_MS = 600_000;
const LONGEST_PATH = 16 * 1024;
const KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Both streams are one pipe, so that what is printed stays in the order of writing. The trap also runs after `exit`. Both texts are quoted,
 * and no variable or argument of the shell is used: the command may change those.
 */
function scriptOf(command: string, place: string): string {
  return `exec 2>&1; trap ${quoted(`pwd -P 2>/dev/null >${quoted(place)}`)} EXIT; eval ${quoted(command)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

interface BashOptions {
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
      `(${DEFAULT_LIMIT_MS} if left out, at most ${LONGEST_LIMIT_MS}). run_in_background starts it and continues.`,
    async run({ command, timeout = DEFAULT_LIMIT_MS, run_in_background: isBackground }, context) {
      const { env, cwd, root } = context;
      const file = systemProgram("bash", { env: env(), root });
      if (file === undefined) throw new ToolFailure("bash was not found in PATH outside of the project.");
      // SECURITY: rules and guards have judged the command in this folder; in another one its relative paths mean other files.
      if (!isFolder(cwd)) throw goneFrom(context);
      const program = { file, isShell: false, env: env(), cwd, fallbackCwd: cwd, stdin: Buffer.alloc(0) };
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
        const notes = [cut(end.isTruncated)].filter((note) => note !== undefined);
        const returnCodeInterpretation = meaningOf(command, end);
        if (returnCodeInterpretation === undefined) checkEnd(end, notes);
        return outputOf(command, { ...end, returnCodeInterpretation }, [...notes, ...follow(place, context, isOutside)]);
      } finally {
        rmSync(place, { force: true });
      }
    },
    textOf: (response) => {
      const { stdout, stderr, interrupted } = response as {
        readonly stdout: string;
        readonly stderr: string;
        readonly interrupted: boolean;
      };
      const aborted = interrupted ? "<error>Command was aborted before completion</error>" : "";
      return shownOutput(said([trimmed(stdout), stderr.trim(), aborted])) || NOTHING_PRINTED;
    },
    isFailure: (response) => (response as { readonly interrupted: boolean }).interrupted,
  };
}

const NOTHING_PRINTED = "(Bash completed with no output)";

/** Bash itself may have said something before the streams were one: it comes first. */
function printedBy({ stdout, stderr }: ProgramEnd): string {
  return `${stderr}${stdout}`;
}

function checkEnd(end: ProgramEnd, notes: readonly string[]): void {
  const { exitCode, failure } = end;
  if (!failure && exitCode === 0) return;
  const what = failure && failure.kind !== "exit" ? toldOf("The command", failure.text) : `Exit code ${exitCode}`;
  const printed = printedBy(end).trimEnd();
  throw new ToolFailure(said([what, printed]), said([what, shownOutput(printed), ...notes]));
}

type ReadEnd = ProgramEnd & { readonly returnCodeInterpretation: string | undefined };

function outputOf(command: string, end: ReadEnd, notes: readonly string[]): ToolOutput {
  const stdout = trimmed(printedBy(end));
  const stderr = said(notes);
  const noOutputExpected = isSilent(command);
  const { returnCodeInterpretation } = end;
  const meaning = returnCodeInterpretation === undefined ? {} : { returnCodeInterpretation };
  const response = { stdout, stderr, interrupted: false, isImage: false, ...meaning, noOutputExpected };
  return { response, text: said([shownOutput(stdout), stderr]) || NOTHING_PRINTED };
}

function trimmed(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

function said(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

const SILENT: ReadonlySet<string> = new Set("mv cp rm mkdir rmdir chmod chown chgrp touch ln cd export unset wait".split(" "));

/** Programs that end with 1 when they found out what they were asked: no failure. */
const MEANINGS: Readonly<Record<string, string>> = {
  grep: "No matches found",
  egrep: "No matches found",
  fgrep: "No matches found",
  rg: "No matches found",
  diff: "Files differ",
  "git diff": "Files differ",
  test: "Condition is false",
  "[": "Condition is false",
  find: "Some directories were inaccessible",
};

/** What exit code 1 says where it is that of such a program: the last of the command. */
function meaningOf(command: string, { exitCode, failure }: ProgramEnd): string | undefined {
  if (exitCode !== 1 || (failure && failure.kind !== "exit") || command.length > LONGEST_READ) return undefined;
  const plain = command.replace(/'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]/g, "_").replace(/(^|\s)#.*$/gm, "");
  const last = partsOf(plain).at(-1) ?? "";
  const [name = "", next] = last.split(/\s+/, 2);
  const found = name === "git" ? `git ${next}` : name;
  return Object.hasOwn(MEANINGS, found) ? MEANINGS[found] : undefined;
}

const LONGEST_READ = 2000;

/** The commands of a list or a pipe, without redirections. */
function partsOf(command: string): readonly string[] {
  const parts = command.replace(/\d*[<>]+&?[^\S\n]*[^\s;&|]+/g, "").split(/&&|\|\||[;&|\n]/);
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Only commands that print nothing unless they fail; hooks see it as `noOutputExpected`. */
function isSilent(command: string): boolean {
  if (command.length > LONGEST_READ) return false;
  const names = partsOf(command).map((part) => part.split(/\s/, 1)[0] ?? "");
  return names.length > 0 && names.every((name) => SILENT.has(name));
}

/** The agent goes where a command has gone that succeeded, but not out of the workspace. */
function follow(place: string, context: ToolContext, isOutside: BashOptions["isOutside"]): readonly string[] {
  const folder = readPlace(place);
  if (folder === undefined || folder === context.cwd) return [];
  // A name that is not UTF-8 cannot be told to rules and hooks: as text it is another folder, which is not there.
  if (!isFolder(folder)) return [`Shell cwd was reset to ${context.cwd}: the new folder is gone, or its name is not UTF-8`];
  if (isOutside(folder, context)) return [`Shell cwd was reset to ${context.cwd}: ${folder} is outside the workspace`];
  context.moveTo(folder);
  return [];
}

function readPlace(file: string): string | undefined {
  // The command may have put anything in its place. If it was killed, or replaced the trap, the agent stays where it is.
  const found = readWithin(file, { limit: LONGEST_PATH });
  return found.kind === "read" ? found.bytes.toString().replace(/\n$/, "") || undefined : undefined;
}

function cut(isCut: boolean): string | undefined {
  return isCut ? `(it printed more than is kept, ${KEPT_BYTES} bytes; the middle is lost. Redirect it to a file.)` : undefined;
}

function goneFrom({ cwd, root, moveTo }: ToolContext): ToolFailure {
  moveTo(root);
  return new ToolFailure(
    `The command was not run: the folder ${cwd} does not exist any more. The current folder is ${root} now. Look whether the command means the same there, and run it again.`,
  );
}

/** A command that runs on while the agent works; an item of `background_tasks`. */
interface BackgroundTask {
  readonly id: string;
  readonly type: "shell";
  readonly status: "running" | "completed" | "failed";
  readonly description: string;
  readonly command: string;
}

export interface BackgroundShells {
  start(
    command: string,
    where: { readonly file?: string; readonly env: Readonly<Record<string, string>>; readonly cwd: string },
  ): ToolOutput;
  readonly tasks: readonly BackgroundTask[];
  close(): Promise<void>;
}

const LONGEST_DESCRIPTION = 1000;

/** What a background command prints goes to a file that the model can read. */
export function createBackgroundShells(programs: Programs): BackgroundShells {
  const tasks = new Map<string, { task: BackgroundTask; end: Promise<unknown> }>();
  const closing = new AbortController();
  let folder: string | undefined;
  return {
    get tasks() {
      return [...tasks.values()].map(({ task }) => task);
    },
    start(command, { file: shell = "bash", env, cwd }) {
      folder ??= programs.makeFolder("background");
      const id = `shell_${tasks.size + 1}`;
      const file = path.join(folder, `${id}.txt`);
      const outputFd = openSync(file, "wx", 0o600);
      let isStarted = false;
      const onStart = (): void => {
        isStarted = true;
      };
      const place = { env, cwd, fallbackCwd: cwd, stdin: Buffer.alloc(0), outputFd };
      const program = { file: shell, args: ["-c", command], isShell: false, ...place, timeoutMs: Number.POSITIVE_INFINITY };
      const { end } = programs.start({ ...program, onStart, signal: closing.signal }, { text: "a Bash command in the background" });
      closeSync(outputFd);
      if (!isStarted) throw new ToolFailure("The command could not be started: bash was not found, or the folder is gone.");
      const task: BackgroundTask = { id, type: "shell", status: "running", description: shortened(command), command };
      const known = { task, end };
      tasks.set(id, known);
      void end.then(({ exitCode }) => {
        known.task = { ...task, status: exitCode === 0 ? "completed" : "failed" };
      });
      const response = { stdout: "", stderr: "", interrupted: false, backgroundTaskId: id };
      return { response, text: `It runs in the background as ${id}. What it prints is in ${file}.` };
    },
    async close() {
      closing.abort();
      await Promise.all([...tasks.values()].map(({ end }) => end));
      tasks.clear();
    },
  };
}

function shortened(text: string): string {
  return text.length <= LONGEST_DESCRIPTION ? text : `${text.slice(0, LONGEST_DESCRIPTION)}… [+${text.length - LONGEST_DESCRIPTION} chars]`;
}
