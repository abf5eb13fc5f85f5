import path from "node:path";
import { counted, didYouMean, visibleLine } from "../diagnostic.ts";
import { fileKind, namesIn } from "../state-files.ts";
import { type AuditPlace, type AuditReport, auditPlace, verifyAudit } from "../trace/index.ts";
import { print, printJson, UsageError } from "./terminal.ts";

export interface VerifyOptions {
  readonly json?: boolean;
  readonly head?: string;
}

/** Looks at the files, prints what is wrong with them, and says whether nothing is. */
export function verifyAll(what: string | undefined, options: VerifyOptions): boolean {
  const reports = placesOf(what, options).map(verifyAudit);
  if (options.json) printJson(reports);
  else printReports(reports);
  return reports.every(({ findings }) => findings.length === 0);
}

function placesOf(what: string | undefined, { head }: VerifyOptions): readonly AuditPlace[] {
  if (what !== undefined && (/[/\\]|\.jsonl$/.test(what) || fileKind(what) === "file")) return [placeOfFile(path.resolve(what), head)];
  if (head !== undefined)
    throw new UsageError("HL_CLI_USAGE", "--head goes with a file: hookloop trace verify audit.jsonl --head head.json");
  const all = placesOfFolder();
  if (what === undefined) return all;
  const found = all.filter(({ head: one }) => sessionOf(one) === what || sessionOf(one).startsWith(`${what}~`));
  if (found.length > 0) return found;
  const names = all.map(({ head: one }) => sessionOf(one));
  const known = names.length === 0 ? " There is none." : ` ${counted(names.length, "session")} of this folder have one.`;
  throw new UsageError(
    "HL_CLI_USAGE",
    `"${visibleLine(what)}" is no file and no session of this folder with an audit file.${didYouMean(what, names) || known}`,
  );
}

function sessionOf(head: string): string {
  return path.basename(head, ".json");
}

/** A file of the state folder has its head there; of another it must be told. */
function placeOfFile(file: string, head: string | undefined): AuditPlace {
  const project = path.dirname(file);
  const heads = path.join(path.dirname(path.dirname(project)), "audit-heads", path.basename(project));
  return { file, head: head === undefined ? path.join(heads, `${path.basename(file, ".jsonl")}.json`) : path.resolve(head) };
}

/** Those of the sessions of this folder, also where only the head or only the file is left. */
function placesOfFolder(): readonly AuditPlace[] {
  const any = auditPlace({ env: process.env, projectRoot: process.cwd(), session: "any" });
  if (any === undefined) throw new UsageError("HL_CLI_USAGE", "There is no state folder: HOME and XDG_STATE_HOME are unset.");
  const [files, heads] = [path.dirname(any.file), path.dirname(any.head)];
  const named = (folder: string, end: string): readonly string[] =>
    namesIn(folder).flatMap((name) => (name.endsWith(end) ? name.slice(0, -end.length) : []));
  const names = new Set([...named(files, ".jsonl"), ...named(heads, ".json")]);
  return [...names].sort().map((name) => ({ file: path.join(files, `${name}.jsonl`), head: path.join(heads, `${name}.json`) }));
}

const MOST_SHOWN = 50;

function printReports(reports: readonly AuditReport[]): void {
  if (reports.length === 0)
    print('No session of this folder has an audit file. Switch the hook on: {"use": ["audit"]} in .hookloop/hooks.json.');
  for (const { file, records, findings } of reports) {
    const state = findings.length === 0 ? "as it was written" : counted(findings.length, "finding");
    print(`${visibleLine(file)}: ${counted(records, "record")}, ${state}`);
    for (const { kind, line, text } of findings.slice(0, MOST_SHOWN))
      print(`  ${line === undefined ? "" : `line ${line}: `}${kind}: ${text}`);
    if (findings.length > MOST_SHOWN) print(`  and ${findings.length - MOST_SHOWN} more`);
  }
}
