import { type Arguments, findOption, type GivenOption } from "../arguments.ts";
import { optionForms } from "../programs/program.ts";
import { isHarmlessSetting } from "../programs/started-by-git.ts";
import { wordSet } from "../tables.ts";
import { type Call, clearlyHas, has, operand, type Report, readGiven } from "./call.ts";

/** Settings and variables by which git runs another program to reach a remote. */
const REACHES_REMOTE =
  /^(?:core\.(?:sshcommand|gitproxy)|ssh\.variant|remote\..*\.(?:uploadpack|receivepack|proxy|vcs)|protocol\.(?:.*\.)?allow$|url\.(?:ext|fd)::)/;
const REMOTE_VARIABLES = wordSet("GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS");
const HARMLESS_PROGRAM = /^(?:|true|:|cat|less|more|vim?|nano|emacs|code(?: -w| --wait)?)$/;
const PROGRAM_VARIABLES = wordSet(
  "PAGER EDITOR VISUAL GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_TEMPLATE_DIR GIT_ALLOW_PROTOCOL",
);

function runsVariable({ command }: Call): boolean {
  return command.assignments.some(({ name, value }) => {
    if (name === "GIT_CONFIG_PARAMETERS") return value.text.replace(/'([^']*)'(?:='([^']*)')?/g, "").trim() !== "";
    return PROGRAM_VARIABLES.has(name) && !HARMLESS_PROGRAM.test(value.text);
  });
}

/** `GIT_PAGER='…' git log`: git hands the value to a shell. */
function judgeVariables({ command, scene }: Call): void {
  for (const { name, value } of command.assignments)
    if (PROGRAM_VARIABLES.has(name) || REMOTE_VARIABLES.has(name)) scene.judgeText(value.text, value.span);
}

/** `export GIT_SSH=…; git fetch`. */
function exportedIn({ scene }: Call): readonly string[] {
  return [...scene.text.matchAll(/(?:^|[\s;&|(])(GIT_\w+|SSH_ASKPASS)=/g)].map(([, name = ""]) => name);
}

/** Options that name the program on the other side; so short they may be, and mean nothing else. */
const NAMES_PROGRAM = ["--upload-pack", "--receive-pack", "--exec"];
const SHORTEST = "--rece".length - 1;

/** Programs that git would run because this very call says so. */
export function judgeGitPrograms(
  { inner, config }: { readonly inner: Call; readonly config: ReadonlyMap<string, string> },
  report: Report,
): void {
  judgeVariables(inner);
  const names = [...config.keys()];
  const variables = [...inner.command.assignments.map(({ name }) => name), ...exportedIn(inner)];
  const reaches = names.some((name) => REACHES_REMOTE.test(name)) || variables.some((name) => REMOTE_VARIABLES.has(name));
  const ownConfig = inner.name === "clone" ? inner.given.options.filter(({ name }) => name === "-c" || /^--conf/.test(name)) : [];
  const named = NAMES_PROGRAM.some((option) => findOption(inner.given, [option], SHORTEST)) || (inner.name === "clone" && has(inner, "-u"));
  const isOdd =
    named ||
    ownConfig.some(({ value }) => REACHES_REMOTE.test(value?.text.toLowerCase() ?? "")) ||
    inner.given.operands.some(({ text }) => /^ext::/.test(text));
  if ((reaches || isOdd) && isNetwork(inner)) report("git-runs-program", "it makes git run a program of its own to reach the remote");
  const isOther = [...config].some(([name, value]) => !isHarmlessSetting(name, value) && !REACHES_REMOTE.test(name));
  if (isOther || runsVariable(inner)) {
    report("git-looks-elsewhere", "it makes git run another program than usual");
  }
}

/** Options of git that decide what is lost, and the letters for them. */
const LETTERS: Readonly<Record<string, string>> = {
  force: "-f",
  "dry-run": "-n",
  delete: "-d",
  interactive: "-i",
  patch: "-p",
  mirror: "",
  prune: "",
  "discard-changes": "",
};
/** `git reset` does what the last of these says. */
const RESET_MODES = ["hard", "soft", "mixed", "merge", "keep"];

/** The options that are still on at the end: a later `--no-force` takes `--force` and `-f` back. */
export function effective(given: Arguments, subcommand: string): Arguments {
  const options: GivenOption[] = [];
  for (const option of given.options) {
    if (option.name.startsWith("--no-")) removeFrom(options, fullName(option.name.slice("--no-".length)));
    else if (subcommand === "reset" && RESET_MODES.some((mode) => isModeOf(option.name, mode))) removeModes(options);
    options.push(option);
  }
  return { ...given, options };
}

/** SECURITY: `--no-force-with-lease` must not take `--force` back, so only a known name or its abbreviation counts. */
function fullName(text: string): string | undefined {
  if (text.length < 2) return undefined;
  return Object.hasOwn(LETTERS, text) ? text : Object.keys(LETTERS).find((name) => name.startsWith(text));
}

function removeFrom(options: GivenOption[], name: string | undefined): void {
  if (name === undefined) return;
  const kept = options.filter(
    (option) => option.name !== LETTERS[name] && !(option.name.startsWith("--") && fullName(option.name.slice(2)) === name),
  );
  options.splice(0, options.length, ...kept);
}

function removeModes(options: GivenOption[]): void {
  const kept = options.filter(({ name }) => !RESET_MODES.some((mode) => isModeOf(name, mode)));
  options.splice(0, options.length, ...kept);
}

function isModeOf(name: string, mode: string): boolean {
  return name.length > 3 && `--${mode}`.startsWith(name);
}

/** Branches that others build on, and tags. */
const SHARED =
  /^(?:refs\/heads\/)?(?:main|master|trunk|develop|dev|development|staging|stable|production|prod|release(?:s)?(?:[/-].*)?|hotfix[/-].*|gh-pages|head|refs\/tags\/.*|v?\d+(?:\.\d+)+(?:[-+.].*)?)$/i;

/** Pushing is safe until it replaces or deletes what is there. */
export function judgePush(call: Call, report: Report): void {
  if (clearlyHas(call, "--help")) return;
  const given = effective(readGiven(call.words, optionForms("git push")), call.name);
  const names = given.options.map(({ name }) => name);
  if (names.some((name) => name === "-n" || /^--dry-?\w*$/.test(name))) return;
  const refs = given.operands.slice(1);
  if (names.some((name) => name === "-d" || /^--de(?:l(?:e(?:t(?:e)?)?)?)?$/.test(name)) || refs.some(({ text }) => /^\+?:./.test(text))) {
    report("git-rewrites-history", "it deletes a branch or tag of the remote");
  }
  if (names.some((name) => /^--mi(?:r(?:r(?:o(?:r)?)?)?)?$|^--pru(?:n(?:e)?)?$/.test(name)))
    report("git-rewrites-history", "it deletes what the remote has and this repository has not");
  const plus = refs.find(({ text }) => text.startsWith("+") || text.includes(":+"));
  if (plus) report("git-rewrites-history", "it replaces the history of the remote", plus);
  if (names.includes("-f") || names.some((name) => /^--forc?e?$/.test(name)))
    judgeForce(
      refs.map(({ text }) => text),
      report,
    );
}

function judgeForce(refs: readonly string[], report: Report): void {
  const targets = refs.map((ref) => ref.slice(ref.indexOf(":") + 1));
  const isTopic = targets.length > 0 && targets.every((target) => !SHARED.test(target) && /^[\w./-]+$/.test(target));
  if (isTopic) report("git-rewrites-topic", "it replaces the history of a branch on the remote");
  else report("git-rewrites-history", "it replaces the history of the remote");
}

const NETWORK =
  /^(?:push|http-push|remote-\w+|imap-send|request-pull|fetch|pull|clone|ls-remote|submodule|send-pack|fetch-pack|http-fetch|maintenance|subtree|svn|lfs|backfill|p4|send-email)$/;

/** Whether a sub-command talks to a remote. */
function isNetwork(call: Call): boolean {
  if (NETWORK.test(call.name)) return true;
  if (call.name === "remote")
    return call.given.operands.some(({ text }) => /^(?:update|show|prune|set-head|add)$/.test(text)) && operand(call, 0) !== "";
  return call.name === "archive" && call.given.options.some(({ name }) => /^--rem/.test(name) || name === "--exec");
}
