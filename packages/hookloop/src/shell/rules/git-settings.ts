import { type Arguments, findOption, type GivenOption } from "../arguments.ts";
import { optionForms } from "../programs/program.ts";
import { wordSet } from "../tables.ts";
import type { ShellWord } from "../types.ts";
import { type Call, clearlyHas, has, operand, type Report, readGiven } from "./call.ts";

/**
 * Takes a setting of git. Says whether it is known to start no program and to switch no hook. New ways for git to run programs come with
 * every release: what is not known here does not count as harmless.
 */

/** Sections that only say how git does its own work. */
const HARMLESS_SECTIONS = wordSet(
  "advice am apply author blame checkout clean color column committer feature github gitlab grep i18n index log notes pack pretty rerere safe stash status tag transfer user versionsort worktree commit fetch",
);
/** Names of other sections that do. */
const HARMLESS: Readonly<Record<string, string>> = {
  mailmap: "file",
  branch: "autosetupmerge autosetuprebase sort",
  core: "abbrev autocrlf bare bigfilethreshold checkroundtripencoding checkstat commentchar commentstring commitgraph compression deltabasecachelimit disambiguate eol excludesfile filemode filesreflocktimeout fscache fsync fsyncmethod ignorecase ignorestat logallrefupdates longpaths loosecompression maxtreedepth multipackindex notesref packedgitlimit packedgitwindowsize packedrefstimeout precomposeunicode preloadindex protecthfs protectntfs quotepath repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks trustctime untrackedcache usereplacerefs warnambiguousrefs whitespace",
  diff: "algorithm autorefreshindex colormoved colormovedws context dirstat dstprefix guitool ignoresubmodules indentheuristic interhunkcontext mnemonicprefix noprefix orderfile relative renamelimit renames srcprefix statgraphwidth statnamewidth submodule suppressblankempty tool wordregex wserrorhighlight",
  difftool: "prompt trustexitcode",
  extensions: "objectformat partialclone preciousobjects worktreeconfig",
  format: "attach cc coverletter from headers notes noprefix numbered pretty signoff subjectprefix suffix thread to useautobase",
  gc: "aggressivedepth aggressivewindow auto autodetach autopacklimit cruftpacks logexpiry packrefs pruneexpire reflogexpire reflogexpireunreachable worktreepruneexpire writecommitgraph",
  gpg: "format mintrustlevel",
  help: "autocorrect format",
  init: "defaultbranch defaultobjectformat defaultrefformat",
  interactive: "singlekey",
  maintenance: "auto autodetach strategy repo",
  merge:
    "autostash branchdesc conflictstyle defaulttoupstream directoryrenames ff guitool log renamelimit renames renormalize stat suppressdest tool verbosity verifysignatures",
  mergetool: "hideresolved keepbackup keeptemporaries prompt writetomerged",
  pull: "autostash ff rebase",
  push: "autosetupremote default followtags gpgsign negotiate recursesubmodules useforceifincludes",
  rebase:
    "abbreviatecommands autosquash autostash backend forkpoint instructionformat maxlabellength missingcommitscheck rebasemerges stat updaterefs",
  receive: "autogc denycurrentbranch denydeletecurrent denydeletes denynonfastforwards fsckobjects unpacklimit advertisepushoptions",
  protocol: "version",
  remote: "pushdefault",
  submodule: "active alternateerrorstrategy alternatelocation fetchjobs propagatebranches recurse",
};

/** The same for names below a name of one's own: `branch.main.remote`. */
const HARMLESS_BELOW: Readonly<Record<string, string>> = {
  branch: "description gh-merge-base merge pushremote rebase remote vscode-merge-base github-pr-owner-number",
  color: "*",
  credential: "username usehttppath",
  diff: "algorithm binary cachetextconv funcname wordregex xfuncname",
  difftool: "trustexitcode",
  gpg: "allowedsignersfile",
  maintenance: "enabled schedule",
  merge: "name",
  mergetool: "hideresolved trustexitcode",
  remote:
    "fetch followremotehead gh-resolved mirror partialclonefilter promisor prune prunetags push pushurl skipdefaultupdate skipfetchall tagopt url",
  submodule: "active branch fetchrecursesubmodules ignore path shallow url",
  url: "insteadof pushinsteadof",
};

/** Settings of which the value decides. */
const BY_VALUE: readonly (readonly [key: RegExp, value: RegExp])[] = [
  [/^(?:core\.fsmonitor|pager\..*)$/, /^(?:true|false|1|0|yes|no|on|off)$/i],
  [/^submodule\..*\.update$/, /^(?:checkout|rebase|merge|none)$/],
  [/^credential\.(?:.*\.)?helper$/, /^(?:|store|cache(?: --timeout[= ]\d+)?|osxkeychain|wincred|libsecret|manager(?:-core)?)$/],
  // `-c …` and `config` bring other settings with them, and some sub-commands run what they are given.
  [/^alias\./, /^(?!!|-|config\b|filter-branch\b|submodule\s+foreach\b|bisect\s+run\b|.*\s(?:--ex\w*|-x|--upload-pack|--receive-pack)\b)/s],
  [/^http\.(?!.*(?:sslengine|cookiefile|savecookies)$)/, /^/],
  [/^lfs\.(?!.*(?:customtransfer|extension|standalonetransferagent))/, /^/],
];

/** Addresses by which git runs what they name. */
const RUNS_ADDRESS = /^(?:ext|fd)::/i;

/** `key` in any case; `value` undefined: it is not known. */
export function isHarmlessSetting(key: string, value: string | undefined): boolean {
  const name = key.toLowerCase();
  const row = BY_VALUE.find(([pattern]) => pattern.test(name));
  if (row) return value !== undefined && row[1].test(value);
  const [, section = "", below, last = ""] = /^([\w-]+)\.(?:(.*)\.)?([\w-]+)$/s.exec(name) ?? [];
  if (RUNS_ADDRESS.test(value ?? "") || RUNS_ADDRESS.test(below ?? "")) return false;
  const table = below === undefined ? HARMLESS : HARMLESS_BELOW;
  const names = Object.hasOwn(table, section) ? (table[section] ?? "").split(" ") : [];
  return (below === undefined && HARMLESS_SECTIONS.has(section)) || names.includes("*") || names.includes(last);
}

/** Settings and variables by which git runs another program to reach a remote. */
const REACHES_REMOTE =
  /^(?:core\.(?:sshcommand|gitproxy)|ssh\.variant|remote\..*\.(?:uploadpack|receivepack|proxy|vcs)|protocol\.(?:.*\.)?allow$|url\.(?:ext|fd)::)/;
const REMOTE_VARIABLES = wordSet("GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS");
const HARMLESS_PROGRAM = /^(?:|true|:|cat|less|more|vim?|nano|emacs|code(?: -w| --wait)?)$/;
const PROGRAM_VARIABLES = wordSet(
  "PAGER EDITOR VISUAL GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_TEMPLATE_DIR GIT_ALLOW_PROTOCOL",
);

/** What `-c name=value` and `GIT_CONFIG_*` set for this call; names in lower case. */
export function configOf({ command, scene }: Call, globals: readonly ShellWord[]): ReadonlyMap<string, string> {
  const config = new Map<string, string>();
  const add = (text: string): void => {
    const [name = "", value = ""] = text.split(/=(.*)/s);
    config.set(name.toLowerCase(), value);
  };
  globals.forEach(({ text }, at) => {
    if (text === "-c") add(globals[at + 1]?.text ?? "");
    else if (text.startsWith("-c")) add(text.slice(2));
    else if (text === "--config-env") add(globals[at + 1]?.text ?? "");
    else if (text.startsWith("--config-env=")) add(text.slice("--config-env=".length));
  });
  const variables = new Map([
    ...exportedConfig(scene.text),
    ...command.assignments.map(({ name, value }): [string, string] => [name, value.text]),
  ]);
  for (const [name, key] of variables) {
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    if (number) config.set(key.toLowerCase(), variables.get(`GIT_CONFIG_VALUE_${number}`) ?? "");
    if (name === "GIT_CONFIG_PARAMETERS") for (const [setting, value] of parametersIn(key)) config.set(setting.toLowerCase(), value);
  }
  return config;
}

const PARAMETER = /'([^']*)'(?:='([^']*)')?/g;

/** `'alias.x=reset' 'a.b'='c'`: how git hands the settings of `-c` on. */
function parametersIn(text: string): readonly (readonly [name: string, value: string])[] {
  return [...text.matchAll(PARAMETER)].map(([, name = "", value]) => {
    const [before = "", after = ""] = name.split(/=(.*)/s);
    return value === undefined ? [before, after] : [name, value];
  });
}

/** `export GIT_CONFIG_KEY_0=… GIT_CONFIG_VALUE_0=…; git …`: set for every call that follows. */
function exportedConfig(text: string): readonly [string, string][] {
  if (!/GIT_CONFIG_(?:KEY_|PARAMETERS)/.test(text)) return [];
  return [
    ...text.matchAll(/['"]?(GIT_CONFIG_(?:(?:KEY|VALUE)_\d+|PARAMETERS))=(?:'([^']*)'|"([^"]*)"|([^\s;&|'"]*(?: [^;&|'"=]*(?='))?))/g),
  ].map(([, name = "", ...values]) => [name, values.find((value) => value !== undefined) ?? ""]);
}

function runsVariable({ command }: Call): boolean {
  return command.assignments.some(({ name, value }) => {
    if (name === "GIT_CONFIG_PARAMETERS") return value.text.replace(PARAMETER, "").trim() !== "";
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
