import { type DoubtCode, programName, readCommand, type ShellCommand, type ShellWord, UNKNOWN } from "../../../shell/index.ts";
import { type Reading, report } from "../reading.ts";
import type { ConfigProperty } from "../tree/index.ts";

const TEMPLATE = /\$\{user_config\.([^}]*)\}?/;

/** SECURITY: a user's value is never put into shell text (fault 63). In `args` it is one word, whatever it holds. */
export function checkShellLine(reading: Reading, properties: readonly ConfigProperty[]): boolean {
  const command = properties.find(({ key }) => key === "command")?.value;
  const isShell = !properties.some(({ key }) => key === "args");
  const [template, name = ""] = (isShell && command?.type === "text" && TEMPLATE.exec(String(command.value))) || [];
  if (isShell && command?.type === "text") reportOpenGuard(reading, properties, command);
  if (!command || template === undefined) return true;
  const variable = `CLAUDE_PLUGIN_OPTION_${name.toUpperCase().replace(/\W/g, "_")}`;
  const text = `${template} is not replaced in a shell line: its value could run as a command. Use "$${variable}" instead, or "args". The hook is left out.`;
  report(reading, { code: "HL_CONFIG_TEMPLATE_IN_SHELL", text, place: command.place });
  return false;
}

/** Says it of a guard whose line exits with 0 whatever its program finds. It is used all the same: it may answer in JSON. */
function reportOpenGuard(
  reading: Reading,
  properties: readonly ConfigProperty[],
  { value, place }: NonNullable<ConfigProperty["value"]> & { readonly value: unknown },
): void {
  const settingOf = (name: string): unknown => {
    const node = properties.find(({ key }) => key === name)?.value;
    return node && "value" in node ? node.value : undefined;
  };
  if (settingOf("guard") !== true && settingOf("onFailure") !== "block") return;
  const problem = openEnd(String(value).trim(), reading);
  if (problem === undefined) return;
  report(reading, { code: "HL_CONFIG_GUARD_OPEN", level: "warning", text: `This guard cannot block by its exit code: ${problem}`, place });
}

/** Reading a line takes time, and a checkout may bring any number of them. Guards are a few short lines. */
const MAX_LINE = 500;
const MAX_READ = 50;
const linesRead = new WeakMap<Reading, number>();

function openEnd(line: string, reading: Reading): string | undefined {
  if (line.split("\n").every((one) => /^\s*(?:#|$)/.test(one))) return "its command is only a comment. Write what it runs.";
  const count = linesRead.get(reading) ?? 0;
  if (!/[|;&\n]/.test(line) || line.length > MAX_LINE || count >= MAX_READ) return undefined;
  linesRead.set(reading, count + 1);
  const end = hidingEnd(line);
  if (end === "&") return 'its command ends in "&", so its exit code is not waited for. Remove that.';
  return end === undefined ? undefined : `its command ends in "${end}", which hides that it blocked or failed. Remove that.`;
}

/** Options of the shell that let a failure through. */
interface ShellOptions {
  readonly pipefail: boolean;
  readonly errexit: boolean;
}

/** A command of the line itself, not of a substitution or of a script in its words. */
interface Step {
  readonly command: ShellCommand;
  readonly name: string;
  /** What stands between the step before and this one, as far as it is known: `|`, `||`, `&&`, `;`, `&`. */
  readonly joint: string;
}

/** What only prints, and succeeds: in the place of the script's, its exit code counts. */
const PRINTERS: Readonly<Record<string, RegExp>> = {
  "|": /^(?:cat|tee|logger|head|tail|sort|uniq|wc|nl|ts|more|less|true|:|echo|printf)$/,
  "||": /^(?:echo|printf|logger|true|date|:|exit)$/,
};
/** What prepares the step behind it. */
const SETUP = /^(?:cd|set|shopt|export|umask|pushd|test|\[|)$/;
/** Anything may be there that was not seen. */
const UNREAD: readonly DoubtCode[] = ["too-long", "too-many", "unparsable", "misread"];
const NO_OPTIONS: ShellOptions = { pipefail: false, errexit: false };

/** The end of the line that takes the place of what its program said by its exit code; nothing if the line can end in something else. */
function hidingEnd(line: string, given: ShellOptions = NO_OPTIONS): string | undefined {
  const { commands, doubts, data } = readCommand(line);
  // Comments separate nothing.
  const bare = data.reduce((text, { start, end }) => text.slice(0, start) + " ".repeat(end - start) + text.slice(end), line);
  const steps = stepsOf(commands, bare);
  const last = steps.at(-1);
  if (!last || doubts.some(({ code }) => UNREAD.includes(code)) || steps.some(leavesBefore)) return undefined;
  const rest = bare.slice(last.command.span.end);
  if (/^\s*&\s*$/.test(rest)) return "&";
  const options = steps.reduce(optionsAfter, given);
  if (!/^[\s;]*$/.test(rest) || mayEndBefore(steps, options)) return undefined;
  const script = scriptOf(last);
  if (script) return hidingEnd(script.text, script.options);
  const { joint, name, command } = last;
  const isPrinter = PRINTERS[joint === "|" ? "|" : "||"]?.test(name) && !mayAnswer(command);
  if (!isPrinter || joint === "" || joint === "&&" || (joint === "|" && options.pipefail)) return undefined;
  return `${joint} ${line.slice(command.span.start, command.span.end).slice(0, 40)}`;
}

function stepsOf(commands: readonly ShellCommand[], line: string): readonly Step[] {
  const own = commands.filter(({ wrappers, repeats }) => wrappers.length === 0 && repeats === undefined);
  const steps: Step[] = [];
  let end = 0;
  for (const command of own.sort((one, other) => one.span.start - other.span.start)) {
    const { span, words } = command;
    if (steps[0] && span.end <= end) continue;
    // What ends a group, a loop or a branch may stand before it: `done | cat`.
    const [, joint = ""] = /^[\s;)}]*(?:(?:done|fi|esac)[\s;)}]*)?(&&|\|\||\||;|&|\n)[&\s]*$/.exec(line.slice(end, span.start)) ?? [];
    steps.push({ command, name: programName(words), joint: joint === "\n" ? ";" : joint });
    end = span.end;
  }
  return steps;
}

/** Whether it ends the line with another exit code, sooner or later. */
function leavesBefore({ name, command: { words } }: Step): boolean {
  return name === "trap" || name === "return" || (name === "exit" && words[1]?.text !== "0");
}

/** Whether the line may end in the failure of a step that is not the last one. */
function mayEndBefore(steps: readonly Step[], { errexit }: ShellOptions): boolean {
  const from = steps.findLastIndex(({ joint }) => joint !== "|" && joint !== "||");
  const before = steps.slice(0, from).filter(({ name }) => !SETUP.test(name));
  const isEarlier = before.length > 0;
  return isEarlier && (errexit || steps[from]?.joint === "&&");
}

/** `set -euo pipefail`, `set +e`. */
function optionsAfter(before: ShellOptions, { name, command }: Step): ShellOptions {
  return name === "set" || name === "shopt" ? withOptions(before, command.words.slice(1)).options : before;
}

function withOptions(
  before: ShellOptions,
  words: readonly ShellWord[],
): { readonly options: ShellOptions; readonly operands: readonly string[] } {
  let options = before;
  let at = 0;
  for (; /^[-+]\w/.test(words[at]?.text ?? ""); at++) {
    const text = words[at]?.text ?? "";
    const isOn = text.startsWith("-");
    if (text.includes("e") && !text.startsWith("--")) options = { ...options, errexit: isOn };
    if (!text.endsWith("o")) continue;
    const named = words[++at]?.text ?? "";
    options = { ...options, ...(named === "pipefail" && { pipefail: isOn }), ...(named === "errexit" && { errexit: isOn }) };
  }
  return { options, operands: words.slice(at).map(({ text }) => text) };
}

/** The script of `bash -o pipefail -c '…'`. */
function scriptOf({ name, command: { words } }: Step): { readonly text: string; readonly options: ShellOptions } | undefined {
  if (!/^(?:ba|da|z|k|a)?sh$/.test(name) || !words.some(({ text }) => /^-\w*c/.test(text))) return undefined;
  const { options, operands } = withOptions(NO_OPTIONS, words.slice(1));
  return operands[0] === undefined ? undefined : { text: operands[0].replaceAll(UNKNOWN, "x"), options };
}

/** What prints an object, or something that only the shell knows, may well print the answer. */
function mayAnswer({ words }: ShellCommand): boolean {
  const isPrinting = /^(?:echo|printf)$/.test(programName(words));
  return words.some(({ text }) => text.includes("{") || (isPrinting && text.includes(UNKNOWN)));
}
