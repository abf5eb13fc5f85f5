import { programOf } from "../arguments.ts";
import { codeOptions, isKnownTo, programsWith } from "../programs/program.ts";
import type { ShellCommand, ShellWord } from "../types.ts";
import { wordSet } from "../words.ts";
import { type Call, has, isFed, isUnknown, type Report } from "./call.ts";
import { onlyChecksSyntax } from "./inline-code.ts";
import { hasWord, type Judge, type Rule, rules } from "./rule.ts";

/** Shells that reading does not follow: their code is judged as far as it looks like that of the others. */
function judgeForeignShell({ name, words, command, scene }: Call, report: Report): void {
  if (scene.starters.has(command) || onlyChecksSyntax(words)) return;
  const at = words.findIndex(({ text }) => /^(?:-\w*c|\/[ck]|-command|-encodedcommand|-enc|-e)$/i.test(text));
  if (at === -1 && !/^(?:powershell|pwsh)$/.test(name)) return;
  const script = words.slice(Math.max(at, 0) + 1).filter(({ text }) => at !== -1 || !text.startsWith("-"));
  for (const word of script) if (/\s/.test(word.text)) scene.judgeText(word.text, word.span);
  if (script.length > 1) scene.judgeWords(script, command);
  if (at !== -1 && /^(?:powershell|pwsh|cmd)$/.test(name)) report("foreign-shell", "it is code of a shell that is not read", words[at]);
  else if (!SHELL_LIKE_BASH.has(words[0]?.text.toLowerCase() ?? ""))
    report("unreadable", "it is code of a shell that is not read", words[at]);
}

const SHELL_LIKE_BASH = wordSet("sh bash zsh dash ksh ash");

const DECODER_TEXT =
  /(?:^|[\s(`|;&])(?:base64\s+(?:-d|-D|--decode)|base32\s+(?:-d|--decode)|xxd\s+(?:-\w+\s+)*-\w*r|openssl\s+(?:enc|base64)\s[^|]*-d|uudecode|gpg\s[^|]*(?:-d|--decrypt))\b/;
const PRINTS =
  /^(?:[$<]\(|`)\s*(?:echo(?:\s+-[neE]+)?|printf(?:\s+(['"])%s(?:\\n)?\1)?|cat\s+<<-?\s*(['"]?)\w+\2\n)\s*(?!\s)([\s\S]*)[)`]$/;

/** `eval "$(echo …)"`, `bash <(base64 -d x)`: what a substitution prints becomes code. */
function judgeSubstituted(word: ShellWord, call: Call, report: Report): void {
  for (const part of word.parts) {
    if (part.kind !== "computed") continue;
    if (DECODER_TEXT.test(` ${part.source.replace(/^[$<>]?[(`]/, " ")}`))
      report("runs-hidden-text", "it runs text that was hidden by an encoding", word);
    const printed = PRINTS.exec(part.source)?.[3]?.trimEnd();
    if (printed) call.scene.judgeText(printed.replace(/^(['"])([\s\S]*)\1$/, "$2"), word.span);
  }
}

const DOWNLOAD_TEXT = /(?:^|[\s(`|;&])(?:curl|wget|fetch|aria2c|http|iwr|irm)\s/;
const SHELLS = [...programsWith("is", "shell"), ..."nu xonsh elvish pwsh powershell cmd".split(" ")];
/** A program that runs what it reads: where does it come from? */
function judgeInterpreter(call: Call, report: Report): void {
  for (const source of call.sources()) judgeSource(source, call, report);
  const code = call.words.slice(1).find((word) => holdsDownload(word));
  if (code) report("runs-download", "it runs a download as code", code);
  for (const word of [
    ...call.words.slice(1),
    ...call.command.redirects.flatMap(({ operator, target }) => (operator === "<" ? [target] : [])),
  ])
    judgeSubstituted(word, call, report);
  const input = call.command.redirects.find(({ operator, target }) => operator === "<" && holdsDownload(target));
  if (input) report("runs-download", "it runs a download as code", input.target);
  if (isInputRun(call)) report("runs-input", "it runs what another command prints as commands", call.words[1] ?? call.words[0]);
}

function judgeSource(source: ShellCommand, call: Call, report: Report): void {
  // `curl … | python -m json.tool` and `| sh script` read the pipe as data.
  if (readsItsInput(call)) return;
  const name = programOf(source.words[0]);
  if (isKnownTo(name, "downloads")) report("runs-download", "it runs a download as code", source);
  else if (isKnownTo(name, "decodes") && isDecoding(source))
    report("runs-hidden-text", "it runs text that was hidden by an encoding", source);
}

function readsItsInput(call: Call): boolean {
  // `sh -s -- words`: the words are for the script that comes from the input.
  if (SHELL_NAMES.has(call.name) && has(call, "-s") && !has(call, "-c")) return false;
  return (
    has(call, "-c", "-m", "-e", "--eval", "-p", "-n", "-r") ||
    call.given.operands.some(({ text }) => text !== "-" && !text.startsWith("/dev/"))
  );
}

function isDecoding({ words }: ShellCommand): boolean {
  return words.slice(1).some(({ text }) => /^(?:-[a-zA-Z]*[dDr]|--decode|--decrypt|-decode|-d.*)$/.test(text)) || words.length > 1;
}

function holdsDownload({ parts }: ShellWord): boolean {
  return parts.some((part) => part.kind === "computed" && DOWNLOAD_TEXT.test(` ${part.source.replace(/^[$<>]?[(`]/, " ")}`));
}

/** `xargs sh -c`: the code itself comes from the input, or the input is pasted into it. */
function isInputRun(call: Call): boolean {
  const code = codeOption(call.name);
  if (!isFed(call) || !code) return false;
  const at = call.words.findIndex(({ text }) => code.test(text));
  if (at === -1) return SHELL_NAMES.has(call.name) && call.words.slice(1).every(isUnknown);
  const script = call.words.slice(at + 1).find(({ text }) => text !== "--");
  return script === undefined || isUnknown(script);
}

const SHELL_NAMES = new Set(SHELLS);

/** The option whose value is code, if a program has one. */
function codeOption(program: string): RegExp | undefined {
  if (SHELL_NAMES.has(program)) return /^-[a-z]*c$/;
  const names = /^(?:python|node|perl|ruby|php)$/.test(program) ? codeOptions(program) : undefined;
  const letters = names?.flatMap((name) => (name.startsWith("--") ? [] : [name.slice(1)])).join("");
  return names && new RegExp(`^(?:-\\w*[${letters}]|${names.filter((name) => name.startsWith("--")).join("|") || "-"})$`);
}

function judgeEval(call: Call, report: Report): void {
  const download = call.words.slice(1).find(holdsDownload);
  for (const word of call.words.slice(1)) judgeSubstituted(word, call, report);
  if (call.name !== "eval" && call.words[1]?.text === "/dev/stdin") {
    if (call.command.stdin?.kind === "text") call.scene.judgeText(call.command.stdin.text, call.command.span);
    for (const source of call.sources()) judgeSource(source, call, report);
  }
  if (download) report("runs-download", "it runs a download as code", download);
  const [, code] = call.words;
  // Also where the input is plain to see: what a list of words is today, it need not be tomorrow.
  if (code && isFed(call)) report("runs-input", "it runs what another command prints as commands", code);
  else for (const word of call.words.slice(1)) if (isUnknown(word)) judgeVariables(call, word);
}

/** `W='…'; eval "$W"`: the variable's text is judged where it is plain to see. */
function judgeVariables({ scene }: Call, word: ShellWord): void {
  for (const part of word.parts) {
    if (part.kind !== "variable") continue;
    const value = new RegExp(`(?:^|[\\s;&|(])${part.name}=('[^']*'|"[^"]*"|[^\\s;&|]*)`).exec(scene.text)?.[1];
    if (value) scene.judgeText(value.replace(/^(['"])(.*)\1$/s, "$2"), word.span);
  }
}

/** `xargs sh -c 'eval "$1"'` has a shell between; `parallel` without a template runs its input. */
function judgeFeeder(call: Call, report: Report): void {
  if (has(call, "--help", "--version", "--dry-run")) return;
  const separator = call.words.findIndex(({ text }) => /^::::?\+?$/.test(text));
  const [firstOperand] = call.given.operands;
  const first = firstOperand ? call.words.indexOf(firstOperand) : -1;
  const template = first === -1 || first === separator ? [] : call.words.slice(first, separator === -1 ? undefined : separator);
  if (call.name === "parallel" && template.length === 0) {
    if (separator === -1) report("runs-input", "it runs every line of its input as a command");
    else for (const word of call.words.slice(separator + 1)) call.scene.judgeText(word.text, word.span);
    return;
  }
  judgeTemplate(call, template, separator, report);
  judgePasted(call, template, separator, report);
}

/** Programs whose code or expression stands in their own words, quoted: joined to one text it would be read otherwise. */
const FIXED = wordSet("awk sed find git");
/** What follows these is a command. */
const STARTS_WORDS = wordSet("env sudo doas command nohup nice time exec eval busybox");
/** `xargs sudo -u x sh`: so many words before a shell are wrappers. */
const MAX_STARTERS = 5;

/** What the words before the input start. */
function judgeTemplate(call: Call, template: readonly ShellWord[], separator: number, report: Report): void {
  const isCode = template.some((word) => codeOption(programOf(word)) !== undefined || FIXED.has(programOf(word)));
  if (call.name === "parallel" && template.length > 1 && isCode) call.scene.judgeWords(template, call.command);
  if (separator !== -1 && template.every((word) => word.text === "{}" || STARTS_WORDS.has(programOf(word))))
    for (const word of call.words.slice(separator + 1)) call.scene.judgeText(word.text, word.span);
  const last = template.at(-1);
  if (last && (SHELL_NAMES.has(programOf(last)) || /^(?:awk|parallel|eval)$/.test(programOf(last))) && template.length <= MAX_STARTERS)
    report("runs-input", "it gives a shell what another command prints", last);
}

/** `"$@"`, `exec $1`, `sudo $0` where a command stands. */
const RUNS_POSITIONAL = /(?:^|[;&|({!]|\b(?:then|do|else|exec|eval|command|sudo|env|nohup|time))\s*"?\$(?:[@*\d]|\{[@*\d]\})(?:"|\s|;|$)/;

/** The placeholder inside a shell's code. */
function judgePasted(call: Call, template: readonly ShellWord[], separator: number, report: Report): void {
  const at = template.findIndex((word) => codeOption(programOf(word)) !== undefined);
  const shell = template[at];
  const code = codeOption(programOf(shell));
  if (!shell || !call.words.slice(call.words.indexOf(shell)).some(({ text }) => code?.test(text))) return;
  const placeholder = placeholderOf(call);
  const script = template.slice(at + 1).find(({ text }) => text !== "--" && !text.startsWith("-"));
  const isPasted = script === undefined || placeholder?.test(script.text) === true;
  if (!isPasted) {
    if (!SHELL_NAMES.has(programOf(shell))) return;
    call.scene.judgeText(script.text, script.span);
    if (RUNS_POSITIONAL.test(script.text)) report("runs-input", "it runs what another command prints as commands", script);
    return;
  }
  if (call.words[separator]?.text !== ":::") report("runs-input", "it pastes what another command prints into shell code", script ?? shell);
  else
    for (const { text, span } of call.words.slice(separator + 1))
      call.scene.judgeText(script?.text.replace(placeholder ?? "", text) ?? text, span);
}

/** What is replaced by the input, as a pattern. */
function placeholderOf(call: Call): RegExp | undefined {
  const attached = call.words.map(({ text }) => /^-i(.+)$/.exec(text)?.[1]).find(Boolean);
  if (attached) return new RegExp(attached.replace(/\W/g, "\\$&"));
  const given = call.given.options.findLast(({ name }) => name === "-I" || name === "-i" || name === "--replace" || name === "-J");
  if (!given && call.name !== "parallel") return undefined;
  return given?.value?.text ? new RegExp(given.value.text.replace(/\W/g, "\\$&")) : /\{[^{}\s]*\}/;
}

/** `curl -o x.sh … && sh x.sh` in one line. */
function judgeRunOfDownload(call: Call, report: Report): void {
  const file = call.name === "chmod" ? undefined : call.given.operands[0];
  if (!file || isUnknown(file)) return;
  if (SHELL_NAMES.has(call.name) || call.name === "source" || call.name === ".") judgeWrittenScript(file, call);
  if (call.scene.downloads().has(plainName(file.text))) report("runs-download", "it runs a file that it has just downloaded", file);
}

/** `cat > x.sh <<E …; sh x.sh`: what it writes itself and then runs is judged like its own words. */
export function judgeWrittenScript(file: ShellWord, { scene, command }: Call, report?: Report): void {
  if (report && scene.downloads().has(plainName(file.text))) report("runs-download", "it runs a file that it has just downloaded", file);
  const name = plainName(file.text);
  for (const writer of scene.reading.commands.slice(0, MAX_WRITERS)) {
    if (writer === command) break;
    const isTarget = writer.redirects.some(({ operator, target }) => operator.includes(">") && plainName(target.text) === name);
    const isTee = programOf(writer.words[0]) === "tee" && writer.words.some(({ text }) => plainName(text) === name);
    if (!isTarget && !isTee) continue;
    if (writer.stdin?.kind === "text") scene.judgeText(writer.stdin.text, file.span);
    else if (/^(?:echo|printf)$/.test(programOf(writer.words[0]))) {
      scene.judgeText(
        writer.words
          .slice(1)
          .map(({ text }) => text.replaceAll("\\n", "\n"))
          .join(" "),
        file.span,
      );
    }
  }
}

const MAX_WRITERS = 200;

function plainName(text: string): string {
  return text.replace(/^\.\//, "");
}

/** The files that downloads among these commands are written to, without a leading `./`. */
export function downloadedFiles(calls: readonly Call[]): ReadonlySet<string> {
  return new Set(
    calls
      .filter(({ name }) => isKnownTo(name, "downloads"))
      .flatMap(targetsOf)
      .map(plainName),
  );
}

function targetsOf(call: Call): readonly string[] {
  const redirected = call.command.redirects.map(({ target }) => target.text);
  const named = call.given.options.flatMap(({ name, value }) =>
    /^(?:-o|-O|--output|--output-document)$/.test(name) && value?.text ? [value.text] : [],
  );
  const isByAddress = call.name === "wget" || has(call, "-O", "--remote-name");
  const byAddress = isByAddress ? call.given.operands.map(({ text }) => text.slice(text.lastIndexOf("/") + 1)) : [];
  return [...redirected, ...named, ...byAddress];
}

export const DOWNLOAD_RULES: readonly (Rule | Judge)[] = [
  {
    programs: `${SHELLS.join(" ")} python node perl ruby php deno lua osascript tclsh rscript iex invoke-expression`,
    judge: judgeInterpreter,
  },
  { programs: `${SHELLS.join(" ")} python node perl ruby php source .`, judge: judgeRunOfDownload },
  { programs: SHELLS.join(" "), judge: judgeForeignShell },
  { programs: "eval source .", judge: judgeEval },
  { programs: "xargs parallel", judge: judgeFeeder },
  ...rules("loads-code", "it installs a package over an unsafe connection", ["pip: install", hasWord(/^http:\/\//)]),
  ...rules("loads-code", "it runs a package from an address", "npx bunx pnpx: http:*|https:*|git+*|github:*"),
];
