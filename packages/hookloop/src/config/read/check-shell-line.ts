import { type DoubtCode, programName, readCommand, type ShellCommand, type ShellWord, UNKNOWN } from "../../shell/index.ts";
import type { ConfigProperty } from "../parse-json.ts";
import { type Reading, report } from "../reading.ts";

const TEMPLATE = /\$\{user_config\.([^}]*)\}?/;

/** SECURITY: a user's value is never put into shell text. In `args` it is one word, whatever it holds. */
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
  if (!/[|;&\n]|\$\(|`|^!|^eval\s/.test(line) || line.length > MAX_LINE || count >= MAX_READ) return undefined;
  linesRead.set(reading, count + 1);
  const hiding = hidingEnd(line);
  if (hiding === "&") return 'its command ends in "&", so its exit code is not waited for. Remove that.';
  return hiding === undefined ? undefined : `its command ${hiding}, which hides that it blocked or failed. Remove that.`;
}

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
  readonly isNegated: boolean;
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

/** What takes the place of what the line's program said by its exit code, as the rest of a sentence; nothing if the line can end in something else. */
function hidingEnd(line: string, given: ShellOptions = NO_OPTIONS): string | undefined {
  const { commands, doubts, data } = readCommand(line);
  // Comments separate nothing.
  const bare = data.reduce((text, { start, end }) => text.slice(0, start) + " ".repeat(end - start) + text.slice(end), line);
  const steps = stepsOf(commands, bare);
  const last = steps.at(-1);
  if (!last || doubts.some(({ code }) => UNREAD.includes(code))) return undefined;
  if (steps.some(exitsWithZero)) return "has a trap that exits with 0";
  const called = functionBody(bare, last);
  if (called !== undefined) return hidingEnd(called, given);
  if (steps.some(leavesBefore)) return undefined;
  if (isOnlyAsked(steps, bare)) return 'asks its program in "if" or "while" and then exits with 0';
  const rest = bare.slice(last.command.span.end);
  if (/^\s*&\s*$/.test(rest)) return "&";
  const options = steps.reduce(optionsAfter, given);
  if (!/^[\s;]*$/.test(rest) || mayEndBefore(steps, options)) return undefined;
  const script = scriptOf(last);
  if (script) return hidingEnd(script.text, script.options);
  const { joint, name, command } = last;
  if (last.isNegated) return 'has "!" before its program';
  if (DECLARES.test(name) && command.words.some(({ parts }) => parts.some(({ kind }) => kind === "computed")))
    return `runs its program for a value of "${name}"`;
  const isPrinter = PRINTERS[joint === "|" ? "|" : "||"]?.test(name) && !mayAnswer(command);
  if (!isPrinter || joint === "" || joint === "&&" || (joint === "|" && options.pipefail)) return undefined;
  return `ends in "${joint} ${line.slice(command.span.start, command.span.end).slice(0, 40)}"`;
}

/** Their own exit code takes the place of that of a substitution. */
const DECLARES = /^(?:export|local|declare|typeset|readonly)$/;

/** `trap 'exit 0' EXIT`. */
function exitsWithZero({ name, command: { words } }: Step): boolean {
  const [, code, ...signals] = words.map(({ text }) => text);
  return name === "trap" && /(?:^|[\s;&|])exit 0\s*;?\s*$/.test(code ?? "") && signals.some((signal) => /^(?:EXIT|0)$/i.test(signal));
}

/** The text of the function that the line ends in calling; its `return` is the line's `exit`. */
function functionBody(line: string, { name, command: { span } }: Step): string | undefined {
  if (!/^[\w-]+$/.test(name) || !/^[\s;]*$/.test(line.slice(span.end))) return undefined;
  const before = line.slice(0, span.start);
  const body = new RegExp(`(?:^|[\\s;])(?:function\\s+${name}(?:\\s*\\(\\s*\\))?|${name}\\s*\\(\\s*\\))\\s*\\{(.*)\\}[\\s;]*$`, "s").exec(
    before,
  )?.[1];
  return body?.replace(/(?<=^|[\s;{])return(?=\s+\d|\s*[;}]|\s*$)/g, "exit");
}

/** `if program; then echo ok; fi`: whatever the program says, the line ends in something that only prints. */
function isOnlyAsked(steps: readonly Step[], line: string): boolean {
  const gap = (at: number): string => line.slice(steps[at - 1]?.command.span.end ?? 0, steps[at]?.command.span.start);
  const body = steps.findIndex((_, at) => /(?:^|[\s;])(?:then|do)\s+[({\s]*$/.test(gap(at)));
  if (!/^\s*(?:if|while|until)\s+(?:!\s+)?[({\s]*$/.test(gap(0)) || body < 1) return false;
  if (!/^[\s;)}]*(?:fi|done)[\s;]*$/.test(line.slice(steps.at(-1)?.command.span.end))) return false;
  const isJudging = steps.slice(0, body).some(({ name }) => !SETUP.test(name) && name !== "read" && name !== "[[");
  return isJudging && steps.slice(body).every(({ name, command }) => PRINTERS["||"]?.test(name) && !mayAnswer(command));
}

function stepsOf(commands: readonly ShellCommand[], line: string): readonly Step[] {
  const own = commands.filter(({ wrappers, repeats }) => wrappers.length === 0 && repeats === undefined);
  const steps: Step[] = [];
  let end = 0;
  for (const command of own.sort((one, other) => one.span.start - other.span.start)) {
    const { span, words } = command;
    if (steps[0] && span.end <= end) continue;
    // What ends a group, a loop or a branch may stand before it: `done | cat`.
    const gap = line.slice(end, span.start);
    const [, joint = ""] = /^[\s;)}]*(?:(?:done|fi|esac)[\s;)}]*)?(&&|\|\||\||;|&|\n)[&\s]*$/.exec(gap.replace(/!\s+$/, "")) ?? [];
    steps.push({ command, name: programName(words), joint: joint === "\n" ? ";" : joint, isNegated: /(?:^|[\s;&|])!\s+$/.test(gap) });
    end = span.end;
  }
  return steps;
}

/** Whether it ends the line with another exit code, sooner or later. In a pipe it ends only its own part. */
function leavesBefore({ name, command: { words } }: Step, at: number, steps: readonly Step[]): boolean {
  if (steps[at + 1]?.joint === "|") return false;
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

function scriptOf({ name, command: { words } }: Step): { readonly text: string; readonly options: ShellOptions } | undefined {
  if (name === "eval")
    return {
      text: words
        .slice(1)
        .map(({ text }) => text.replaceAll(UNKNOWN, "x"))
        .join(" "),
      options: NO_OPTIONS,
    };
  if (!/^(?:ba|da|z|k|a)?sh$/.test(name) || !words.some(({ text }) => /^-\w*c/.test(text))) return undefined;
  const { options, operands } = withOptions(NO_OPTIONS, words.slice(1));
  return operands[0] === undefined ? undefined : { text: operands[0].replaceAll(UNKNOWN, "x"), options };
}

/** What prints an object, or something that only the shell knows, may well print the answer. */
function mayAnswer({ words }: ShellCommand): boolean {
  const isPrinting = /^(?:echo|printf)$/.test(programName(words));
  return words.some(({ text }) => text.includes("{") || (isPrinting && text.includes(UNKNOWN)));
}
