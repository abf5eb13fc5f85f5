import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SpillOptions } from "../judge/index.ts";
import { createEnvFile, createLazyRunFile, type EnvFile, isModelKey, type RunFile, sensitivityOf } from "../run/index.ts";

/** Files that live as long as a session, each made on first use, all in private folders. */
export interface SessionFiles {
  /** Path of the file behind `CLAUDE_ENV_FILE`. */
  envFile(): string;
  /** What hooks have written into it. */
  shellEnv(): Readonly<Record<string, string>>;
  /** Saves something too large for a variable; gives the path. */
  writeTemporary(name: string, content: string): string;
  /** Where texts too long for the model are saved, without secrets, until the session ends. */
  spill(redact: (text: string) => string): SpillOptions;
  /** Notes running hooks and temporary folders, so that nothing stays if this program is killed. */
  readonly runFile: RunFile;
  dispose(): void;
}

export interface SessionFilesOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Where run files are. */
  readonly runFolder: string;
  readonly onProblem: (text: string) => void;
  /** Hears of each line of the env file that is not used, once. */
  readonly onEnvProblem: (text: string) => void;
}

/** SECURITY: `$NAME` in the file must not bring a hook what its environment was kept from. */
function withoutSecrets(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isModelKey(name) && sensitivityOf(name, value) === undefined));
}

export function openSessionFiles({ env, runFolder, onProblem, onEnvProblem }: SessionFilesOptions): SessionFiles {
  const runFile = createLazyRunFile({ folder: runFolder, onProblem });
  let folder: string | undefined;
  let spillFolder: string | undefined;
  let envFile: EnvFile | undefined;
  const own = (): string => {
    folder ??= runFile.makeFolder("session");
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
    spill: (redact) => ({
      redact,
      // Not made before there is a text to save; nobody can guess its name until then.
      get folder() {
        spillFolder ??= runFile.reserveFolder("texts");
        return spillFolder;
      },
    }),
    runFile,
    dispose() {
      envFile?.dispose();
      for (const file of temporary.splice(0)) rmSync(file, { force: true });
      runFile.close();
      envFile = undefined;
      folder = undefined;
      spillFolder = undefined;
    },
  };
}
