/**
 * Takes how one run ended, gives its outcome: effects, or a failure with the effects of its direction, and everything
 * the user should know about it. Refuses nothing and never throws: whatever a hook did is in the outcome.
 */

import type { EventName } from "@hookloop/sdk";
import type { EventRow } from "../catalogue/index.ts";
import { type Diagnostic, sentence } from "../diagnostic.ts";
import { isWatchedGuard, type RawOutcome } from "../run/index.ts";
import { applyFailure } from "./apply-failure.ts";
import {
  type Dialect,
  diagnosticsOf,
  effectRow,
  type Failure,
  type Note,
  type Outcome,
  type Reading,
  sanitiseText,
  shortText,
} from "./effects.ts";
import { readFunctionResult } from "./function-result.ts";

interface ToInterpret {
  readonly event: EventName;
  readonly row: EventRow;
  readonly raw: RawOutcome;
  /** Not asked for functions: they speak the SDK's language. */
  readonly dialect: Pick<Dialect, "answer">;
}

export function interpretOutcome(given: ToInterpret): Outcome {
  const { row, raw } = given;
  const { hook, durationMs } = raw;
  const first = read(given);
  const failed = first.failure ?? openAnswer(given, first);
  const unread = failed ? NOTHING_UNREAD : (unreadInput(given, first) ?? unreadStderr(given, first));
  const reading = { ...first, failure: failed ?? unread.failure };
  const notes = runNotes(raw).filter(({ code }) => code !== reading.failure?.code);
  const diagnostics = [...reading.diagnostics, ...diagnosticsOf(hook, [...notes, ...unread.notes, ...brokenGuard(raw, first)])];
  const outcome = { ...reading, hook, durationMs, diagnostics };
  if (!reading.failure) return outcome;
  const applied = applyFailure({ row, hook, failure: reading.failure, durationMs });
  const effects = reading.isBackground ? reading.effects : [...reading.effects, ...applied.effects];
  return { ...outcome, effects, diagnostics: [...diagnostics, applied.diagnostic] };
}

/** A guard of the SDK that fails answers with a denial, as it must in every agent: here it is known for what it is, as a function's failure is. */
function brokenGuard({ hook }: RawOutcome, { effects }: Reading): readonly Note[] {
  if (hook.target.kind === "function") return [];
  return effects.flatMap((effect) => {
    const said = "reason" in effect ? SDK_FAILED.exec(String(effect.reason)) : null;
    if (!said) return [];
    const code = said[2] === "FIELD_MISSPELT" ? "HL_EXECUTE_FIELD_MISSPELT" : "HL_EXECUTE_THREW";
    return [{ code, level: "error", text: `it failed, which counts as a denial: ${shortText(String(said[1]), 400)}` }];
  });
}

const SDK_FAILED = /^The guard [^\n]{1,200}? failed, so it blocks\. (HL_SDK_(\w+): .*)/s;

function read({ event, row, raw, dialect }: ToInterpret): Reading {
  if (raw.hook.target.kind !== "function") return dialect.answer.read(row, event, raw);
  if (raw.failure) return { effects: [], failure: raw.failure, diagnostics: [] };
  const { effects, failure, notes } = readFunctionResult(row, raw.returned, raw.hook.isGuard || isWatchedGuard(raw.hook));
  const diagnostics: readonly Diagnostic[] = diagnosticsOf(raw.hook, notes);
  return { effects, failure, diagnostics };
}

interface Unread {
  readonly failure?: Failure;
  readonly notes: readonly Note[];
}

/**
 * SECURITY: with exit code 0 stderr is not read, and that is where a shell says that the program which was to judge is not there. For a hook
 * whose failure blocks that is a failure, unless it is against the call anyway; of other hooks it is said, once.
 */
function unreadStderr({ event, row, raw }: ToInterpret, reading: Reading): Unread {
  const { target } = raw.hook;
  const isRead = target.kind === "command" || target.kind === "module";
  if (!isRead || raw.exitCode !== 0 || isInBackground(raw, reading) || reading.failure) return NOTHING_UNREAD;
  const text = sanitiseText(raw.stderr).trim();
  const ofSdk = sdkNotice(text);
  if (ofSdk !== undefined) return { notes: [{ code: "HL_OUTPUT_STDERR", level: "notice", text: `${ofSdk} ${ONCE}` }] };
  if (row.blockEffect === null) return NOTHING_UNREAD;
  if (text === "" || reading.diagnostics.some(({ code }) => code === "HL_OUTPUT_NO_ANSWER")) return NOTHING_UNREAD;
  // What a module throws is seen without its words, so none of them tells of a failure.
  const sign = target.kind === "command" ? failureSign(text) : undefined;
  if (sign !== undefined) return toldFailure(raw, reading, sign);
  // Whoever answered may say more; and after the fact, tools tell what they did.
  if (raw.stdout.trim() !== "" || reading.effects.length > 0 || row.blockEffect === "feedback") return NOTHING_UNREAD;
  const [ended, cure] =
    target.kind === "command"
      ? ["it exited with 0, so what it printed to stderr", `To block on ${event}, exit with 2`]
      : ["it returned nothing, so what it printed", "To block, return deny(…)"];
  const says = `${ended} is not read and nothing is blocked: "${shortText(text, 100)}". ${cure}; send other text to a file. ${ONCE}`;
  return { notes: [{ code: "HL_OUTPUT_STDERR", level: "notice", text: says }] };
}

/**
 * SECURITY: a guard that judges a call, never looked at it and says nothing has not agreed: it only exports its function, or looks for the event
 * in its variables or arguments. Of another hook that may be a gate it is said; one that plays a sound has nothing to judge.
 */
function unreadInput({ row, raw }: ToInterpret, reading: Reading): Unread | undefined {
  const { hook, isInputUnread, exitCode, stdout, stderr } = raw;
  const judges = row.failureCanBlock && ("tool_input" in row.input || "prompt" in row.input);
  const isSilent = exitCode === 0 && (stdout + stderr).trim() === "" && reading.effects.length === 0;
  if (!isInputUnread || hook.quirks?.inputVariables || !judges || !isSilent || isInBackground(raw, reading)) return undefined;
  if (isWatchedGuard(hook)) return { failure: INPUT_UNREAD, notes: [] };
  if (!mayDeny(hook)) return undefined;
  const text = `${INPUT_UNREAD.text}: it cannot have judged anything, and nothing is blocked. ${INPUT_UNREAD.cure}. ${ONCE}`;
  return { notes: [{ code: "HL_EXECUTE_INPUT_UNREAD", level: "warning", text }] };
}

/** The event did not wait for it. */
function isInBackground({ hook, isFromBackground }: RawOutcome, { isBackground }: Reading): boolean {
  return hook.isAsync || isFromBackground === true || isBackground === true;
}

/** A script may do anything; a shell line that neither names one nor ends by a decision, such as `touch seen`, does what it says. */
function mayDeny({ target }: RawOutcome["hook"]): boolean {
  if (target.kind !== "command") return false;
  const line = [target.command, ...(target.args ?? [])].join(" ");
  return /\bexit\b|\bdeny\b|\bblock\b|\.(?:[bz]?a?sh|py|[cm]?[jt]s|rb|pl|php|lua)\b/.test(line);
}

const INPUT_UNREAD: Failure = {
  kind: "exit",
  code: "HL_EXECUTE_INPUT_UNREAD",
  text: "it exited with 0 and did not read the event, which is JSON on its stdin and not in variables or arguments",
  cure: "Read stdin (sh: jq -r .tool_input.command; Python: json.load(sys.stdin); JavaScript: hook(…) of @hookloop/sdk). If it need not know the event: cat > /dev/null",
};

function toldFailure({ hook: { isGuard, onFailure } }: RawOutcome, { effects }: Reading, sign: string): Unread {
  const isStrict = effects.some((effect) => effectRow(effect).isAgainst);
  // The SDK has blocked because of it, and its reason says so.
  if (isStrict && effects.some((effect) => "reason" in effect && String(effect.reason).includes(sign))) return NOTHING_UNREAD;
  const cure = stdinCure(sign) ?? (sign.includes("HL_SDK_") ? SDK_CURE : STDERR_CURE);
  const said = `it exited with 0, but its stderr tells of a failure: ${shortText(sign, 200)}`;
  if ((isGuard || onFailure === "block") && !isStrict)
    return { failure: { kind: "exit", code: "HL_OUTPUT_STDERR", text: said, cure }, notes: [] };
  return { notes: [{ code: "HL_OUTPUT_STDERR", level: "warning", text: `${sentence(said)} ${cure}. ${ONCE}` }] };
}

/** Stdin is a socket, which Linux opens by no name; a hook whose own text has the name gets a file. */
export function stdinCure(stderr: string): string | undefined {
  if (
    !/\/dev\/(?:stdin|fd\/0)\b.{0,20}No such device or address|(?:ENXIO|No such device or address).{0,80}\/dev\/(?:stdin|fd\/0)\b/.test(
      stderr,
    )
  )
    return undefined;
  return "Stdin is a socket, which Linux does not open by a name: read it as it is (sh: cat; Node: readFileSync(0); Python: sys.stdin)";
}

/** SECURITY: a guard that left something behind which can still print has not answered yet, and what comes is not read. A denial stays one. */
function openAnswer({ row, raw }: ToInterpret, reading: Reading): Failure | undefined {
  const { isGuard, onFailure } = raw.hook;
  if (!raw.isAnswerOpen || isInBackground(raw, reading) || row.blockEffect === null || !(isGuard || onFailure === "block"))
    return undefined;
  if (reading.effects.some((effect) => effectRow(effect).isAgainst)) return undefined;
  return { kind: "bad-output", code: "HL_EXECUTE_PIPES_HELD", text: `it has ended, but ${HELD}`, cure: HELD_CURE };
}

const HELD = "a process it started still holds its output open, so an answer may have been lost";
const NOT_ASKED = "What runs behind & blocks nothing: its exit code is not asked for";
const HELD_CURE = "Let the hook wait for that process (wait), or redirect its output (>/dev/null 2>&1)";

const NOTHING_UNREAD: Unread = { notes: [] };
const ONCE = "This is said once in a session";
const SDK_CURE = "Fix it; to block when it fails, make it a guard: { guard: true }";
const STDERR_CURE = "Fix it, and let the hook exit with 2 where it cannot judge (in sh: set -e, or || exit 2)";

function runNotes(raw: RawOutcome): readonly Note[] {
  const notes: Note[] = [...(raw.notes ?? [])];
  if (raw.pipesHeld)
    notes.push({
      code: "HL_EXECUTE_PIPES_HELD",
      level: "notice",
      text: raw.isAnswerOpen
        ? `the hook has ended, but ${HELD}. ${raw.exitCode === 0 ? `${NOT_ASKED}. ` : ""}${HELD_CURE}`
        : "the hook has ended, but a process it started still holds its output open. Redirect that process's output",
    });
  if (raw.missingCwd !== undefined)
    notes.push({
      code: "HL_EXECUTE_CWD_MISSING",
      level: "warning",
      text: `the folder ${shortText(raw.missingCwd, 200)} does not exist; the hook ran in the project root`,
    });
  if (raw.isTruncated)
    notes.push({
      code: "HL_EXECUTE_TRUNCATED",
      level: "warning",
      text: "the hook printed more than is kept; the rest was thrown away. Print less",
    });
  return notes;
}

/** A script as it is named by who runs it: with a folder, or with an ending. It may have spaces. */
const SCRIPT = String.raw`(?:[^:\n]{0,300}/[^:\n]{1,300}|[^:\n]{1,300}\.[A-Za-z]\w{0,7})`;
const SHELL = String.raw`-?(?:\S{0,300}/)?(?:ba|da|a|k|mk|pdk|z|fi|c|tc|ya|r)?sh`;
const LANGUAGE = String.raw`(?:\S{0,300}/)?(?:pypy|python|node|deno|bun|perl|ruby|php|lua|luajit|tclsh|awk|gawk|mawk|nawk|Rscript|pwsh|java)[\d.]{0,8}`;
/** Programs of scripts that write their name only before a complaint. */
const TOOL = String.raw`(?:\S{0,300}/)?(?:\[|base64|basename|bc|cat|cmp|comm|curl|cut|date|dc|dirname|env|expr|file|find|e?grep|fgrep|head|iconv|jq|ln|ls|md5sum|mkdir|mktemp|mv|nc|nice|nohup|od|openssl|paste|printf|ps|readlink|realpath|rg|rm|sed|seq|sha\d+sum|shasum|sort|ssh|stat|sudo|tail|tee|test|timeout|touch|tr|uniq|wc|wget|xargs|xxd|yq)`;
/** Whatever language it is in: `line 3`, `Zeile 3`, `ligne 3 `. */
const LINE = String.raw`(?:[\p{L}.-]{1,20}[ \u00a0])?\d{1,7}[ \u00a0]?`;

/** What the C library calls errors: behind the name of whoever met one, at the end of the line. */
const SYSTEM =
  "No such file or directory|No such device(?: or address)?|No such process|Permission denied|Operation not permitted|Too many open files(?: in system)?|Argument list too long|Exec format error|Cannot allocate memory|Not a directory|Is a directory|Input/output error|Text file busy|File too large|File name too long|No space left on device|Disk quota exceeded|Read-only file system|Resource (?:temporarily unavailable|deadlock avoided|busy)|Device or resource busy|Bad file descriptor|Bad address|Invalid argument|Too many levels of symbolic links|Stale file handle|Interrupted system call|Connection (?:refused|timed out|reset by peer)|Network is (?:down|unreachable)|No route to host|Host is down|Function not implemented|Operation not supported|Operation timed out|Illegal seek|Invalid or incomplete multibyte or wide character|Directory (?:not empty|nonexistent)|Out of memory|No child processes";
/** How a process ended, as shells put it: alone on a line. */
const SIGNAL =
  "Hangup|Quit|Illegal instruction|Trace/breakpoint trap|Aborted|Abort trap(?:: \\d+)?|Bus error(?:: \\d+)?|Floating point exception(?:: \\d+)?|Killed(?:: \\d+)?|User defined signal [12]|Segmentation fault(?:: \\d+)?|Alarm clock|Terminated|Stack fault|CPU time limit exceeded|File size limit exceeded|Virtual timer expired|Profiling timer expired|Bad system call";

const SIGNS: readonly RegExp[] = [
  // A place in a script, as shells put it: dash, bash (also of -c, eval and substitutions), zsh.
  new RegExp(`^(?:${SCRIPT}|${SHELL}|${LANGUAGE}|${TOOL}): (?:[^:]{1,60}: ){0,3}${LINE}: .`, "u"),
  /^[^:]{1,300}: (?:[^:]{1,60}: ){0,3}line \d+: ./,
  /^[^:]{1,300}: \d+: .{1,300}: ./,
  new RegExp(
    `^(?:${SCRIPT}|${SHELL}|[^:\\s]{1,300}):\\d{1,7}(?::\\d{1,7})?: (?:(?:fatal|syntax|parse|compile|runtime|load) error\\b|error:|command not found|no such file|permission denied|bad |unmatched |unknown )`,
    "i",
  ),
  // Their name, and whatever they complain about.
  new RegExp(`^(?:${SHELL}|${LANGUAGE}|${TOOL}): .`),
  // Any program: its name, and that it could not do something.
  /^[^\s:]{1,300}: (?:[^:]{1,200}: ){0,2}(?:(?:fatal|syntax|parse|internal|usage|import|runtime|symbol lookup) )?(?:error\b(?! (?:count|rate)s?\b)|can(?:no|')t\b|cannot\b|could(?:n't| not)\b|unable to\b|failed\b|fatal\b|not found$|un(?:recogni[sz]ed|known) (?:option|command|argument)|in(?:valid|correct) option|illegal (?:option|number)|unexpected (?:end|token|EOF)|bad (?:substitution|interpreter|option)|out of memory|parameter (?:not set|null)|(?:unbound|unset) variable)/i,
  /^(?:fatal(?: error)?|panic|(?:PHP )?(?:Fatal|Parse|syntax) error|error(?:\[[^\]]{1,40}\])?|Exception in thread .{1,100})(?::|$| at | near )/i,
  /^npm (?:ERR!|error) /,
  // Errors and exceptions by their names, and the places that a stack is made of.
  /^(?:Uncaught )?(?:[\w$]{1,60}(?:\.|::)){0,10}(?:[A-Z]\w{0,80})?(?:Error|Exception|Interrupt)(?: \[[\w-]{1,60}\])?(?::|$)/,
  /\((?:[A-Z]\w{0,60}::)?[A-Z]\w{0,60}(?:Error|Exception)\)$/,
  /^\s*File "[^"]{1,300}", line \d+/,
  /^\s{1,8}at .{1,300}(?::\d+:\d+\)?|\([\w$.]{1,200}(?::\d+)?\)|\(Native Method\))$/,
  /^\s*(?:from )?[^\s:]{1,300}:\d+:in /,
  /\bat (?:-e|\S{1,300}) line \d+(?:, (?:<[^>]{0,40}> (?:line|chunk) \d+|near .{1,300}|at EOF))?[.,]?$/,
  /^Traceback \(most recent call last\)|^goroutine \d+ \[|^thread '[^']{0,100}' panicked/,
  /\b(?:Cannot find (?:module|package)|Uncaught|Unhandled(?:PromiseRejection\w*)?)\b/,
  /\bcompilation aborted\b|\baborted due to compilation errors\b/,
  /\bsyntax error\b.{0,40}\b(?:near|at|unexpected|in)\b/i,
  // The system's own words.
  new RegExp(`^(?:${SIGNAL})(?: \\(core dumped\\))?$`),
  /\(core dumped\)/,
  new RegExp(`(?::|\\[Errno \\d+\\]) (?:${SYSTEM})\\b`, "i"),
  /\bNo such file or directory\b|\bcommand not found\b|: not found$|: unbound variable$/,
  /: (?:Permission denied|cannot execute)/i,
  /\berror while loading shared libraries\b|^\S{1,300}: .{0,200}version `[^']{1,80}' not found|\bdyld\[?\d*\]?: /,
  // Of the SDK, but for what is said of hooks that work.
  /\bHL_SDK_(?!LOG_FAILED|PROMPT_KEPT|RESULT_CONFLICT|OPTION_IGNORED)[A-Z_]+/,
];

/** What looks like one and changes nothing: no terminal, a locale that is not installed, a reader that had enough, what a shell is about to run. */
const HARMLESS: readonly RegExp[] = [
  /^[^:]{1,300}: (?:[^:]{1,60}: ){0,3}(?:warning|notice|note|info|debug)\b/i,
  /\b(?:inappropriate ioctl for device|no job control in this shell|cannot set terminal process group|ttyname failed)\b/i,
  /\bBroken pipe$|\bld\.so: object .{1,300} ignored\.$|^(?:perl|bash|sh): .{0,40}\b(?:locale|LC_ALL|LANG)\b/,
  /^\++ /,
  /^HL_SDK_(?:LOG_FAILED|PROMPT_KEPT|RESULT_CONFLICT|OPTION_IGNORED): /,
];

const SDK_NOTICE = /^HL_SDK_(?:LOG_FAILED|PROMPT_KEPT|RESULT_CONFLICT|OPTION_IGNORED): .{1,900}$/m;
/** At either end: what a script says last is why it stopped. */
const MOST_LINES = 300;
const MOST_LETTERS = 100_000;

/**
 * Takes what a hook that exited with 0 has printed to stderr; gives the first line in which a shell, an interpreter, a program or the system
 * complains: something that the hook needed did not work, and its exit code did not say so.
 * Shells and interpreters are known by how they write, not by what: `<script>: <line>: …`, `<shell>: …`, `SomeError: …`, a place in a file.
 */
export function failureSign(stderr: string): string | undefined {
  return outerLines(stderr).find((line) => SIGNS.some((sign) => sign.test(line)) && !HARMLESS.some((harmless) => harmless.test(line)));
}

/** How interpreters and programs begin that end with 2 because they could not do their work. */
const ENDS_WITH_2 =
  /^(?:[^:]{1,300}: (?:line )?\d{1,7}: (?:.{0,300}: )?(?:syntax error|unexpected EOF|cannot open|can't open)|(?:\S{0,300}\/)?(?:ba|da|a|k|z)?sh: .{0,100}(?:cannot open|can't open|syntax error)|(?:\S{0,300}\/)?python[\d.]*: can't open file|(?:\S{0,300}\/)?[ef]?grep: (?:.{1,300}: (?:No such file|Is a directory|Permission denied)|Unmatched|[Ii]nvalid|unrecognized)|jq: (?:error|Unknown)|\S{1,300}: error: (?:the following arguments|unrecognized arguments|argument ))/i;

/** The line in which the interpreter of a hook that exited with 2 says why: then it is no judgement of the hook. */
export function interpreterSign(stderr: string): string | undefined {
  // A script that continues after a program was not found, and gives a reason of its own, has judged.
  return outerLines(stderr.trimEnd())
    .slice(-1)
    .find((line) => ENDS_WITH_2.test(line));
}

/** Short ones, so that none is slow. */
function outerLines(text: string): readonly string[] {
  const first = text.slice(0, MOST_LETTERS).split("\n", MOST_LINES);
  const last = text.length > MOST_LETTERS ? text.slice(-MOST_LETTERS).split("\n") : text.split("\n");
  const rest = last.slice(text.length > MOST_LETTERS ? 1 : first.length).slice(-MOST_LINES);
  return [...first, ...rest].map((line) => line.slice(0, 1000).trimEnd());
}

/** What the SDK says of a hook that works, as a sentence, if nothing else tells of a failure. */
function sdkNotice(stderr: string): string | undefined {
  const said = failureSign(stderr) === undefined ? SDK_NOTICE.exec(stderr.slice(0, 100_000))?.[0] : undefined;
  return said === undefined ? undefined : sentence(said);
}
