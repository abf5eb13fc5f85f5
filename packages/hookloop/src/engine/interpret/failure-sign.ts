/**
 * Takes what a hook that exited with 0 has printed to stderr; gives the first line in which a shell, an interpreter, a program or the system
 * complains: something that the hook needed did not work, and its exit code did not say so.
 * Shells and interpreters are known by how they write, not by what: `<script>: <line>: …`, `<shell>: …`, `SomeError: …`, a place in a file.
 */
import { sentence } from "../../diagnostic.ts";

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

/** The first line that tells of a failure. */
export function failureSign(stderr: string): string | undefined {
  return outerLines(stderr).find((line) => SIGNS.some((sign) => sign.test(line)) && !HARMLESS.some((harmless) => harmless.test(line)));
}

/** Short ones, so that none is slow. */
function outerLines(text: string): readonly string[] {
  const first = text.slice(0, MOST_LETTERS).split("\n", MOST_LINES);
  const last = text.length > MOST_LETTERS ? text.slice(-MOST_LETTERS).split("\n") : text.split("\n");
  const rest = last.slice(text.length > MOST_LETTERS ? 1 : first.length).slice(-MOST_LINES);
  return [...first, ...rest].map((line) => line.slice(0, 1000).trimEnd());
}

/** What the SDK says of a hook that works, as a sentence, if nothing else tells of a failure. */
export function sdkNotice(stderr: string): string | undefined {
  const said = failureSign(stderr) === undefined ? SDK_NOTICE.exec(stderr.slice(0, 100_000))?.[0] : undefined;
  return said === undefined ? undefined : sentence(said);
}
