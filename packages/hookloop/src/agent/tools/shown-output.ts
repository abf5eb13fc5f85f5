import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makePrivateFolder } from "../../state-files.ts";
import { processRedactor } from "../../trace/index.ts";

/** More than this of one result would crowd out the conversation. */
const SHOWN_CHARACTERS = 30_000;

let make = resultFolder;
let folder: string | undefined;

/** Where results are saved from now on: a folder that goes with the session, even if this program is killed. The function it gives ends that. */
export function keepResultsIn(makeFolder: () => string): () => void {
  make = makeFolder;
  folder = undefined;
  return () => {
    if (make !== makeFolder) return;
    make = resultFolder;
    folder = undefined;
  };
}

/** A result as the model sees it: what is too long is saved whole, and its beginning and end are shown. */
export function shownOutput(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  const half = SHOWN_CHARACTERS / 2;
  const left = text.length - SHOWN_CHARACTERS;
  return `${text.slice(0, half)}\n… [${left} characters left out${saved(text)}] …\n${text.slice(-half)}`;
}

/** Nobody else can look into it, and it goes with this process. */
function resultFolder(): string {
  const own = path.join(tmpdir(), `hookloop-results-${randomUUID()}`);
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
}

function saved(text: string): string {
  try {
    folder ??= make();
    makePrivateFolder(folder);
    const file = path.join(folder, `${randomUUID()}.txt`);
    // SECURITY: on disk it may outlive the session, whatever happens to this process: without secrets.
    writeFileSync(file, processRedactor().text(text), { mode: 0o600, flag: "wx" });
    return `; the whole text is in ${file} until the session ends`;
  } catch (error) {
    return `; the whole text could not be saved: ${(error as Error).message}`;
  }
}
