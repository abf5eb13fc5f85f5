import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createEnvFile, createRunFile, type EnvFile, isModelKey, type RunFile, sensitivityOf } from "../engine/execute/index.ts";

/** Files that live as long as a session, each made on first use, all in private folders. */
export interface SessionFiles {
  /** Path of the file behind `CLAUDE_ENV_FILE`. */
  envFile(): string;
  /** What hooks have written into it. */
  shellEnv(): Readonly<Record<string, string>>;
  /** Saves something too large for a variable; gives the path. */
  writeTemporary(name: string, content: string): string;
  /** Where texts too long for the model are saved, without secrets, until the session ends. */
  readonly spillFolder: string;
  /** Notes running hooks, so that they can be ended if this program is killed. */
  readonly runFile: RunFile;
  dispose(): void;
}

export interface SessionFilesOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Where run files are; absent: nothing is noted. */
  readonly runFolder: string | undefined;
  readonly onProblem: (text: string) => void;
  /** Hears of each line of the env file that is not used, once. */
  readonly onEnvProblem: (text: string) => void;
}

/** SECURITY: `$NAME` in the file must not bring a hook what its environment was kept from. */
function withoutSecrets(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isModelKey(name) && sensitivityOf(name, value) === undefined));
}

export function openSessionFiles({ env, runFolder, onProblem, onEnvProblem }: SessionFilesOptions): SessionFiles {
  let folder: string | undefined;
  let envFile: EnvFile | undefined;
  const own = (): string => {
    // SECURITY: mkdtemp makes a new folder with 0700; nothing can have been planted in it.
    folder ??= mkdtempSync(path.join(tmpdir(), "hookloop-session-"));
    return folder;
  };
  const temporary: string[] = [];
  const said = new Set<string>();
  // The file is read before every shell command.
  const sayOnce = (text: string): void => {
    if (said.has(text)) return;
    said.add(text);
    onEnvProblem(text);
  };
  let runFile: RunFile | undefined;
  // Not made before there is a text to save; nobody can guess its name until then.
  const spillFolder = path.join(tmpdir(), `hookloop-texts-${randomUUID()}`);
  return {
    envFile() {
      envFile ??= createEnvFile({ parent: own(), base: withoutSecrets(env) });
      return envFile.path;
    },
    shellEnv() {
      if (!envFile) return {};
      const { variables, problems } = envFile.read();
      for (const { line, text } of problems) sayOnce(`line ${line} of CLAUDE_ENV_FILE is not used: ${text}`);
      return variables;
    },
    writeTemporary(name, content) {
      const file = path.join(own(), `${temporary.length}-${path.basename(name)}`);
      writeFileSync(file, content, { mode: 0o600, flag: "wx" });
      temporary.push(file);
      return file;
    },
    spillFolder,
    runFile: {
      started(run) {
        if (runFolder === undefined) return () => {};
        runFile ??= createRunFile({ folder: runFolder, onProblem });
        return runFile.started(run);
      },
      close: () => runFile?.close(),
    },
    dispose() {
      runFile?.close();
      envFile?.dispose();
      rmSync(spillFolder, { recursive: true, force: true });
      for (const file of temporary.splice(0)) rmSync(file, { force: true });
      if (folder && readdirSync(folder).length === 0) rmdirSync(folder);
      envFile = undefined;
      folder = undefined;
    },
  };
}
