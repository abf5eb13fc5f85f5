/** What Tab offers: commands after a slash at the start, files after an @. */
import { readdirSync } from "node:fs";
import path from "node:path";

export interface CompletionParts {
  readonly cwd: string;
  readonly commands: () => readonly string[];
  /** A command of the settings that knows better; nothing: there is none. */
  readonly suggestFiles: (typed: string) => Promise<readonly string[] | undefined>;
}

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

export async function completeLine({ cwd, commands, suggestFiles }: CompletionParts, before: string): Promise<readonly string[]> {
  const command = /^\/(\S*)$/.exec(before);
  if (command) {
    const begun = command[1] ?? "";
    const found = commands().filter((name) => name.startsWith(begun));
    return found.sort().map((name) => `/${name} `);
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(before);
  if (!mention) return [];
  const typed = mention[1] ?? "";
  const start = before.slice(0, before.length - typed.length);
  const suggested = await suggestFiles(typed);
  return (suggested ?? filesLike(cwd, typed)).map((file) => `${start}${file}`);
}

function filesLike(cwd: string, typed: string): readonly string[] {
  const folder = typed.slice(0, typed.lastIndexOf("/") + 1);
  const begun = typed.slice(folder.length);
  try {
    const entries = readdirSync(path.resolve(cwd, folder || "."), { withFileTypes: true });
    return entries
      .filter(({ name }) => name.startsWith(begun) && !SKIPPED.has(name) && (begun !== "" || !name.startsWith(".")))
      .filter(({ name }) => !/[\s\p{Cc}]/u.test(name))
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : " "}`)
      .sort();
  } catch {
    // No such folder: nothing to offer.
    return [];
  }
}
