import path from "node:path";
import { declaredFiles } from "./declared-files.ts";
import type { Examination } from "./examine-hook.ts";
import { findProgram } from "./find-program.ts";
import { folderIdentity, glimpse } from "./hash-file.ts";

/** What of a hook's surroundings was seen at one moment: equal texts mean that nothing it runs has changed. */
export interface Watch {
  readonly signature: string;
  /** The signature can be believed next time: no file was so young that its times may stay the same. */
  readonly isSettled: boolean;
}

/** Looks at everything a hook names without opening it: microseconds, where hashing takes a millisecond. */
export function watchHook(examination: Examination, cwd: string, implied: readonly string[] = []): Watch {
  const { hook, place } = examination;
  const named = examination.files.map((file) => path.resolve(cwd, file.path));
  const scripts = examination.interpreted.flatMap((one) => one.scripts.map((script) => path.resolve(cwd, script)));
  const declared = declaredFiles(examination.declared, hook.source.plugin?.root ?? hook.source.root).files;
  const programs = examination.programs.map((name) => findProgram(name, place.path, cwd) ?? "-");
  const now = Date.now();
  const seen = [...new Set([...named, ...scripts, ...declared, ...programs, ...implied])].map((file) => ({ file, ...glimpse(file, now) }));
  return {
    signature: [folderIdentity(place.projectRoot), cwd, ...seen.map(({ file, signature }) => `${file}=${signature}`)].join("\n"),
    isSettled: seen.every((one) => one.isSettled),
  };
}
