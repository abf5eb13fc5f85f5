/**
 * Takes the raw text and its reading. Gives every place where dangerous text stands that reading did not explain: neither as data
 * nor as words of a command that the rules have seen. It is the net below the parser; a hit asks.
 */

import { programOf } from "../arguments.ts";
import { awkCodes, type Code, codesIn, evaluatedIn, LITERALS, literalsIn, readAwk, startsJoinedText } from "../programs/foreign-code.ts";
import { isKnownTo, programsWith } from "../programs/program.ts";
import { readSed, sedScript } from "../programs/sed.ts";
import type { ShellReading, ShellWord, Span } from "../types.ts";
import { wordSet } from "../words.ts";
import { type Call, isRebuilt, placeOfText, type Report } from "./call.ts";
import type { Judge, Rule } from "./rule.ts";

interface Wire {
  /** The program that the text names. */
  readonly program: string;
  readonly pattern: RegExp;
}

const WIRES: readonly Wire[] = [
  { program: "rm", pattern: /\brm\s+(?:-(?!-\s)[\w-]+\s+)*-(?:[a-z]*r[a-z]*f|[a-z]*f[a-z]*r|-recursive)/gi },
  {
    program: "git",
    pattern: /\bgit\s+(?:-\S+\s+)*(?:reset\s+--hard|clean\s+-\w*f|push\s+(?:-f\b|--force\b(?!-))|stash\s+(?:drop|clear)|checkout\s+--\s)/gi,
  },
  { program: "find", pattern: /\bfind\s[^|;&\n]{0,200}\s-delete\b/gi },
  { program: "mkfs", pattern: /\bmkfs(?:\.\w+)?\s+\S*\/dev\//gi },
  { program: "dd", pattern: /\bdd\s[^|;&\n]{0,200}\bof=\/dev\/(?!null|zero|std)/gi },
  { program: "sh", pattern: /\b(?:curl|wget)\s[^|;&\n]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/gi },
];

/** `bash -n`: reads a script and runs nothing. */
export function onlyChecksSyntax(words: readonly ShellWord[]): boolean {
  if (!/^(?:ba|z|da|k|mk)?sh$/.test(programOf(words[0])) || words.some(({ text }) => text.startsWith("+"))) return false;
  const end = words.findIndex(({ text }, at) => at > 0 && !text.startsWith("-"));
  const letters = words.slice(1, end === -1 ? undefined : end).flatMap(({ text }) => (/^-[a-z]+$/i.test(text) ? [...text.slice(1)] : []));
  // SECURITY: an interactive shell may run what it reads, `-n` or not.
  return letters.includes("n") && !letters.includes("i");
}

/** Whether a text names something that the wires look for. */
function looksDangerous(text: string): boolean {
  return WIRES.some(({ pattern }) => text.search(pattern) !== -1);
}

/** The first hit of every wire that nothing explains. */
export function unexplained(text: string, reading: ShellReading): readonly Span[] {
  const found: Span[] = [];
  const assigned = reading.isUncertain ? [] : assignedIn(text);
  for (const { program, pattern } of WIRES) {
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (isExplained(span, program, reading) || assigned.some((range) => holds(range, span)) || isInput(match[0], reading)) continue;
      found.push(span);
      break;
    }
  }
  return found;
}

/** Quoted values of variables; where reading followed every use of them, they are only data. */
function assignedIn(text: string): readonly Span[] {
  return [...text.matchAll(/(?<![^\s;&|(])[A-Za-z_]\w*=(?:'[^']*'|"[^"`$]*")/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Text that a command which starts nothing reads. */
function isInput(hit: string, { commands }: ShellReading): boolean {
  return commands.some(
    ({ stdin, words }) => stdin?.kind === "text" && stdin.text.includes(hit) && !isKnownTo(programOf(words[0]), "runs-words"),
  );
}

function isExplained(span: Span, program: string, { data, commands }: ShellReading): boolean {
  if (data.some((range) => holds(range, span))) return true;
  return commands.some((command) => {
    if (!overlaps(command.span, span)) return false;
    const name = programOf(command.words[0]);
    if (onlyChecksSyntax(command.words)) return true;
    if (name === program || (program === "sh" && /^(?:ba|z|da)?sh$/.test(name))) return true;
    return holds(command.span, span) && name !== "" && !isKnownTo(name, "runs-words");
  });
}

function holds(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && outer.end >= inner.end;
}

function overlaps(first: Span, second: Span): boolean {
  return first.start < second.end && second.start < first.end;
}

const STARTS_UNKNOWN =
  /(?<![\w.])(?:os\.system|os\.popen|subprocess\.\w+|pty\.spawn|shell_exec|passthru|(?:exec|spawn)(?:File)?(?:Sync)?|system|popen)\s*\(\s*(?![\s"'`[)])[^)]/;
const CAN_START = /\b(?:os|subprocess|child_process|system|exec\w*|spawn\w*|popen|pty|commands|Kernel|Open3|IO|shell_exec|passthru|eval)\b/;
const DELETES =
  /\.(?:unlink|rmdir)\s*\(|\b(?:os\.(?:remove|unlink|rmdir|removedirs)|shutil\.(?:rmtree|move)|rmtree|unlinkSync|(?:remove|emptyDir)Sync|File\.rm(?:_rf)?!?|delete-(?:directory|file)|unlink\s+(?:for|foreach|<)|rmSync|rmdirSync|fs\.(?:promises\.)?(?:rm|unlink|rmdir)\b|rimraf|(?:fs|promises)\)?\.rm\b|File\.(?:delete|unlink)|FileUtils\.(?:rm|remove)\w*|Dir\.(?:rmdir|delete|unlink)|remove_tree|Deno\.remove(?:Sync)?|os\.RemoveAll|os\.Remove)|(?<![\w.$>])(?:unlink|rmdir)\s*\(?\s*(?:["'$@<]|glob)/;
const DELETES_TREE =
  /\b(?:rmtree|removedirs|delete-directory|removeSync|emptyDirSync|rimraf|rm_rf|rm_r|remove_dir|remove_entry\w*|remove_tree|RemoveAll)\b|recursive["']?\s*(?::|=>)\s*true/;
const WRITES =
  /\bopen\s*\([^)]*,\s*["'][wax+b]+["']|write_text|write_bytes|writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|file_put_contents|File\.(?:write|open)|truncate\w*/;
const HIDDEN =
  /\b(?:exec|eval|system|Function)\b[\s\S]*\b(?:b64decode|base64|fromhex|unhexlify|decompress|atob|decode64|unpack|chr\s*\(|fromCharCode)\b/;
const SENDS = /\b(?:urlopen|requests\.|http\.client|fetch\s*\(|axios|Net::HTTP|LWP::|socket\.)/;
const SECRET = /\.ssh\/id_|\.aws\/credentials|\.gnupg|\.netrc|\/etc\/shadow|(?:os|process)\.env(?:iron)?\s*[,)]/;
const SOCKET_SHELL =
  /\bsocket\b[\s\S]*\b(?:dup2|pty\.spawn|\/bin\/(?:ba)?sh)|TCPSocket[\s\S]*exec|net\.(?:connect|Socket)[\s\S]*\/bin\/(?:ba)?sh|fsockopen[\s\S]*exec/;

/** Code of other languages in a command line or on an interpreter's input: does it delete, and which commands does it start? */
function judgeInline(call: Call, report: Report): void {
  for (const code of codesIn(call.words, call.command.stdin, call.command.span)) {
    judgeStarted(code, call, report);
    judgeDeletion(code, call, report);
    judgeShellText(code, call);
    if (HIDDEN.test(code.text)) report("runs-hidden-text", "its code runs text that was hidden by an encoding", code.at);
    if (SOCKET_SHELL.test(code.text)) report("reverse-shell", "its code connects a shell to the network", code.at);
    else if (SECRET.test(code.text)) report(SENDS.test(code.text) ? "sends-secret" : "reads-secret", "its code reads secrets", code.at);
  }
}

/** Reading has followed the commands that the code starts; here is what it could not. */
function judgeStarted({ text, at }: Code, call: Call, report: Report): void {
  for (const code of evaluatedIn(text)) {
    judgeDeletion({ text: code, at }, call, report);
  }
  if (startsJoinedText(text)) report("runs-helper", "its code starts a program that is known only when it runs", at);
  if (CAN_START.test(text) && looksDangerous(text)) report("runs-helper", "its code names a dangerous command and can start it", at);
  else if (STARTS_UNKNOWN.test(text)) report("runs-helper", "its code starts a program that is known only when it runs", at);
}

const COMMENT = /(?<=^|\s)(?:#|\/\/\s)[^\n]*/g;

/** `node -e "rm -rf /"`: no code of that language. A mistake, or written for a program of the same name that runs it. */
function judgeShellText({ text, at }: Code, call: Call): void {
  const bare = text.replace(LITERALS, " ").replace(COMMENT, " ");
  if (looksDangerous(bare)) call.scene.judgeText(bare, at.span);
}

/** A home that code asks for. */
const HOME =
  /\b(?:environ(?:\.get)?[[(]\s*["']HOME|Path\.home\s*\(|homedir\s*\(|process\.env\.HOME|ENV\[?\{?\(?["']?HOME|Dir\.home|getenv\s*\(\s*["']HOME)/;
const BAD_PLACES = wordSet("vital system device workspace-root");

function judgeDeletion({ text, at }: Code, call: Call, report: Report): void {
  const deletes = DELETES.test(text);
  if (!deletes && !WRITES.test(text)) return;
  const places = literalsIn(text)
    .filter((literal) => /^[~/.]|\//.test(literal) && !/\s/.test(literal))
    .map((literal) => placeOfText(literal, call).kind);
  if (places.some((kind) => BAD_PLACES.has(kind)) || (deletes && DELETES_TREE.test(text) && HOME.test(text)))
    report(
      deletes ? "inline-delete-tree" : "overwrite-system",
      `its code ${deletes ? "deletes" : "writes"} what the machine or its user needs`,
      at,
    );
  else if (!deletes) return;
  else if (places.length > 0 && places.every((kind) => kind === "temporary"))
    report("delete-temporary", "its code deletes temporary files", at);
  else if (DELETES_TREE.test(text) && !literalsIn(text).some(isRebuilt))
    report("inline-delete-tree", "its code deletes a folder with all that is in it", at);
  else report("inline-delete", "its code deletes files", at);
}

export const INLINE_RULES: readonly (Rule | Judge)[] = [{ programs: programsWith("code").join(" "), judge: judgeInline }];

const AWK_WRITES = /\bprintf?\b[^;{}\n|]*>>?\s*"(\/[^"]*)"/g;

/** What awk and sed do beside starting commands, which reading follows. */
function judgeAwk(call: Call, report: Report): void {
  const { stdin, span } = call.command;
  for (const { text, at } of awkCodes(call.words, stdin, span)) {
    for (const problem of readAwk(text).unknown) report("inline-unknown-command", `its code ${problem}`, at);
    judgeAwkWrites(text, at, call, report);
  }
}

function judgeAwkWrites(text: string, at: Pick<ShellWord, "span">, call: Call, report: Report): void {
  for (const [, path = ""] of text.matchAll(AWK_WRITES)) {
    const { kind } = placeOfText(path, call);
    if (kind === "device") report("overwrite-device", "its code writes over a device", at);
    else if (kind === "system") report("overwrite-system", "its code writes to a folder of the system", at);
  }
}

function judgeSed({ words, command }: Call, report: Report): void {
  const script = sedScript(words, command.stdin);
  if (!script) return;
  const { commands, runsInput, writes } = readSed(script.text);
  if (commands.length + writes.length > 0 || runsInput) report("runs-helper", "its script writes a file or runs a command", script.at);
}

export const TEXT_LANGUAGE_RULES: readonly Judge[] = [
  { programs: "awk", judge: judgeAwk },
  { programs: "sed gsed", judge: judgeSed },
];
