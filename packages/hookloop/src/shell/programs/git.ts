/** Takes a git command. Gives what it runs: by its sub-command, by an alias, or by a setting that an option, a variable or `git config` gives it. */

import { formsIn, type GivenOption, readArguments, valuesOf } from "../arguments.ts";
import { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "../types.ts";
import { cutWord, remembered, textWord, wordSet } from "../words.ts";
import { optionsBefore } from "./program.ts";
import { programName, type Started, scriptIn } from "./started.ts";

interface GitWords {
  readonly globals: readonly ShellWord[];
  readonly options: readonly GivenOption[];
  /** The sub-command with its words. */
  readonly rest: readonly ShellWord[];
}

/** `git-push x`, `/usr/lib/git-core/git-push x`: a sub-command called by a name of its own is `git push x`. */
export function withoutDash(words: readonly ShellWord[]): readonly ShellWord[] {
  const first = words[0];
  const sub = first?.text.includes("git-") ? /^git-(.+)$/.exec(programName(words))?.[1] : undefined;
  if (!first || sub === undefined || !OWN_COMMANDS.has(sub)) return words;
  return [textWord("git", first.span, first.source), textWord(sub, first.span, first.source), ...words.slice(1)];
}

/** Git's own options, and what follows them. */
export const splitGit: (words: readonly ShellWord[]) => GitWords = remembered((given) => {
  const words = withoutDash(given);
  const { options, operands } = readArguments(words, { ...formsIn(optionsBefore("git") ?? ""), isComplete: true, stopsAtOperand: true });
  return { globals: words.slice(1, words.length - operands.length), options, rest: operands };
}, new WeakMap());

/** Those that can be no alias: git takes its own command of that name. */
const OWN_COMMANDS = wordSet(
  "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch for-each-ref for-each-repo format-patch fsck gc grep gui hash-object help hook index-pack init interpret-trailers lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mergetool mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-ref sparse-checkout stash status stripspace submodule subtree switch symbolic-ref tag unpack-objects update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree",
);

/** What git runs for its arguments: shell aliases and commands in settings, `bisect run`, `rebase --exec`, `submodule foreach`. */
export function startedByGit(given: readonly ShellWord[]): readonly Started[] {
  const words = withoutDash(given);
  const { rest } = splitGit(words);
  const settings = startedBySettings(words, settingsOf(words));
  const [sub, ...args] = rest.map(({ text }) => text);
  if (sub === "bisect" && args[0] === "run") return [...settings, { kind: "words", words: rest.slice(2) }];
  if (sub === "submodule" && args.find((text) => !text.startsWith("-")) === "foreach") {
    const script = rest.slice(rest.findIndex(({ text }) => text === "foreach") + 1);
    return [...settings, ...scriptIn(script.filter(({ text }) => text !== "--recursive" && text !== "--quiet"))];
  }
  if (sub === "config") {
    // `git config alias.x '!command'`.
    const at = rest.findIndex(({ text }, index) => index > 0 && /^\w+\..+/.test(text));
    const [key, value] = at === -1 ? [] : rest.slice(at);
    return [...settings, ...(key && value ? startedBySetting(key.text, value, new Map()) : [])];
  }
  return [...settings, ...startedByOption(rest)];
}

/** Options of sub-commands whose value a shell runs: how they are read, and their names. */
const RUNS: Readonly<Record<string, readonly [options: string, names: readonly string[]]>> = {
  rebase: ["-xsXC: -S? --exec: --onto: --strategy: --strategy-option: --empty:", ["x", "exec"]],
  difftool: ["-xt: -O? --extcmd: --tool:", ["x", "extcmd"]],
  clone: ["-ubcoj: --upload-pack: --branch: --config: --origin: --depth: --reference: --template: --jobs:", ["u", "upload-pack"]],
  grep: ["-efABCm: -O?", ["O"]],
  "filter-branch": ["-df:", "env tree index parent msg commit tag-name subdirectory".split(" ").map((name) => `${name}-filter`)],
};

/** `rebase -ix 'make test'`, `filter-branch --tree-f='…'`. */
function startedByOption(words: readonly ShellWord[]): readonly Started[] {
  const row = Object.hasOwn(RUNS, words[0]?.text ?? "") ? RUNS[words[0]?.text ?? ""] : undefined;
  if (!row) return [];
  const [options, names] = row;
  const longValued = [...(formsIn(options).longValued ?? []), ...names.filter((name) => name.length > 1)];
  return valuesOf(readArguments(words, { ...formsIn(options), longValued }), names).flatMap((value) =>
    value.text === "" ? [] : scriptIn([value]),
  );
}

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

/**
 * Whether a setting is known to start no program and to switch no hook; `key` in any case, `value` undefined: it is not known. New ways for
 * git to run programs come with every release: what is not known here does not count as harmless.
 */
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

/** Settings whose value git surely runs. */
const RUNS_VALUE =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|gitproxy|askpass|alternaterefscommand)|sequence\.editor|diff\.external|diff\..*\.(?:command|textconv)|(?:merge|diff|gui)tool\..*\.cmd|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|pager\..*|interactive\.difffilter|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs)|(?:trailer|tar|man|browser)\..*\.(?:command|cmd)|sendemail\.\w*cmd|imap\.tunnel)$/;

/** Settings by their names in small letters; of a value that is not known the text is `UNKNOWN`. */
export type Settings = ReadonlyMap<string, ShellWord>;

/** What this call of git is given: `-c name=value`, `--config-env=name=VARIABLE`, and the variables before it. */
export function settingsOf(words: readonly ShellWord[], variables: ShellCommand["assignments"] = []): Settings {
  const found = new Map<string, ShellWord>();
  const { options, rest } = splitGit(words);
  const own = rest[0]?.text === "clone" ? clonedSettings(rest) : [];
  for (const { name, value } of [...options, ...own]) {
    if (name === "--git-dir" && value && isElsewhere("GIT_DIR", value.text)) found.set(ELSEWHERE, textWord("", value.span));
    const at = value?.text.indexOf("=") ?? -1;
    if (!value || !/^(?:-c|--config|--config-env)$/.test(name)) continue;
    const key = (at === -1 ? value.text : value.text.slice(0, at)).toLowerCase();
    found.set(key, name === "--config-env" ? textWord(UNKNOWN, value.span) : at === -1 ? textWord("", value.span) : cutWord(value, at + 1));
  }
  for (const [key, value] of settingsOfVariables(variables)) found.set(key, value);
  return found;
}

/** `git clone -c name=value`: what is written into the new repository. */
function clonedSettings(words: readonly ShellWord[]): readonly { readonly name: string; readonly value: ShellWord | undefined }[] {
  return words.map((word, at) => {
    const attached = /^(?:-c|--config=)(?=\w+\.)/.exec(word.text)?.[0].length;
    const isNext = /^(?:-c|--config)$/.test(words[at - 1]?.text ?? "");
    return { name: "-c", value: isNext ? word : attached === undefined ? undefined : cutWord(word, attached) };
  });
}

/** Variables that say what git's settings are, or in which folder they lie. */
const SETTINGS_VARIABLE = /^(?:GIT_CONFIG\w*|HOME|XDG_CONFIG_HOME|GIT_DIR|GIT_COMMON_DIR)$/;
/** The files of settings, wherever they lie. */
const SETTINGS_FILE = /(?:^|\/)(?:\.gitconfig|(?:\.git|git)\/config(?:\.worktree)?)$|\.git(?:config\b|\/config\b)/;
/** Stands among settings for those of a place that the line names: which they are is not known. */
const ELSEWHERE = "settings.elsewhere";

function isElsewhere(name: string, value: string): boolean {
  return (
    !name.startsWith("GIT_CONFIG") &&
    SETTINGS_VARIABLE.test(name) &&
    value !== "" &&
    !(name === "GIT_DIR" && /^(?:\.\/)?\.git\/?$/.test(value))
  );
}

/** `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0`, `GIT_CONFIG_PARAMETERS`, and files of settings, of which nothing is known. */
export function settingsOfVariables(variables: ShellCommand["assignments"]): Settings {
  const found = new Map<string, ShellWord>();
  if (!variables.some(({ name }) => SETTINGS_VARIABLE.test(name))) return found;
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  for (const [name, value] of values) {
    const { text, span } = value;
    if (isElsewhere(name, text)) found.set(ELSEWHERE, textWord("", span));
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    if (number !== undefined) found.set(text.toLowerCase(), values.get(`GIT_CONFIG_VALUE_${number}`) ?? textWord(UNKNOWN, span));
    if (name === "GIT_CONFIG_PARAMETERS")
      // `'alias.x=reset' 'a.b'='c'`: how git hands the settings of `-c` on.
      for (const [, key = "", given = ""] of text.matchAll(/'([^'=]*)(?:'?='?([^']*))?'/g))
        found.set(key.toLowerCase(), textWord(given, span));
    const isFile = /^GIT_CONFIG(?:_GLOBAL|_SYSTEM)?$/.test(name) && text !== "" && text !== "/dev/null";
    if (isFile || (name.startsWith("GIT_CONFIG_") && text.includes(UNKNOWN))) found.set("include.path", textWord(UNKNOWN, span));
  }
  return found;
}

/** The programs that settings make git run, and the command that an alias among them stands for. */
export function startedBySettings(words: readonly ShellWord[], settings: Settings): readonly Started[] {
  // The text of an alias that is one is among the settings.
  const aliased = startedByAlias(words, settings).filter(({ kind }) => kind !== "script");
  return [...[...settings].flatMap(([key, value]) => startedBySetting(key, value, settings)), ...aliased];
}

/** SECURITY: the value of a setting that is not known to be harmless may be a command. One that surely is makes what cannot be read of it a doubt. */
export function startedBySetting(key: string, word: ShellWord, settings: Settings): readonly Started[] {
  const name = key.toLowerCase();
  const address = /^url\.ext::(.+)\.\w+$/.exec(name)?.[1];
  if (address !== undefined) return scriptIn([textWord(address.replace(/%20|%/g, " "), word.span)]);
  const isCommand = word.text.startsWith("!");
  if (word.text === "" || isHarmlessSetting(name, word.text) || (name.startsWith("alias.") && !isCommand)) return [];
  const script = isCommand ? cutWord(word, 1) : word;
  if (isCommand || RUNS_VALUE.test(name)) return scriptIn([script]);
  // `lfs.customtransfer.x.path`, `….args`.
  const args = name.endsWith(".path") ? settings.get(name.replace(/path$/, "args")) : undefined;
  return scriptIn(args ? [script, args] : [script], { isForeign: true }).filter(({ kind }) => kind === "script");
}

/** `git -c alias.p=push p origin` is `git push origin`. What a file of settings that the line brings makes of an unknown name cannot be told. */
function startedByAlias(words: readonly ShellWord[], settings: Settings): readonly Started[] {
  // `export HOME=x` itself starts nothing.
  if (settings.size === 0 || !programName(words).startsWith("git")) return [];
  const { rest } = splitGit(words);
  const [name, ...args] = rest;
  if (!name || OWN_COMMANDS.has(name.text)) return [];
  const key = `alias.${name.text.toLowerCase()}`;
  const value = (settings.get(key) ?? settings.get(`${key}.command`))?.text;
  const isBrought = [...settings.keys()].some((setting) => setting === ELSEWHERE || /^include(?:if\..*)?\.path$/.test(setting));
  if (value?.includes(UNKNOWN) || (value === undefined && isBrought))
    return [{ kind: "doubt", code: "dynamic-name", text: `git ${name.text} may be an alias for anything.` }];
  if (value === undefined) return [];
  if (value.startsWith("!")) return scriptIn([textWord(value.slice(1), name.span)]);
  const meant = value
    .split(/\s+/)
    .filter(Boolean)
    .map((text) => textWord(text.replace(/["']/g, ""), name.span));
  const all = withoutDash(words);
  const before = all.slice(0, all.length - rest.length).filter(({ text }) => text !== "--");
  return [{ kind: "words", words: [...before, ...meant, ...args] }];
}

/** What the git commands of a line are by aliases that the line itself keeps in settings or exports: `git config alias.p push; git p`. */
export function aliasedInLine({ commands, sets }: Pick<ShellReading, "commands" | "sets">): readonly Started[] {
  const settings = new Map([...commands.flatMap(keptBy), ...settingsOfVariables(commands.flatMap(exportedBy))]);
  const isBrought = sets.some((name) => SETTINGS_VARIABLE.test(name)) || commands.some(writesSettings);
  if (isBrought) settings.set(ELSEWHERE, textWord("", { start: 0, end: 0 }));
  return settings.size === 0 ? [] : commands.flatMap(({ words }) => (programName(words) === "git" ? startedByAlias(words, settings) : []));
}

/** `echo … >> .git/config`, `cp x ~/.gitconfig`. */
function writesSettings({ words, redirects, folder }: ShellCommand): boolean {
  const isSettings = ({ text }: ShellWord): boolean => SETTINGS_FILE.test(`${folder ?? ""}/${text}`);
  if (redirects.some(({ operator, target }) => operator.includes(">") && isSettings(target))) return true;
  return !SHOWS_ONLY.has(programName(words)) && words.slice(1).some(isSettings);
}

const SHOWS_ONLY = wordSet("cat less more head tail grep rg ls stat test [ echo printf wc diff file");

/** `git config alias.p push`. */
function keptBy({ words }: ShellCommand): readonly (readonly [key: string, value: ShellWord])[] {
  const { rest } = programName(words) === "git" ? splitGit(words) : { rest: [] };
  const at = rest[0]?.text === "config" ? rest.findIndex(({ text }) => /^(?:alias|include(?:if)?)\./i.test(text)) : -1;
  const value = rest[at + 1];
  return at === -1 || !value ? [] : [[(rest[at]?.text ?? "").toLowerCase(), value]];
}

/** `export GIT_CONFIG_KEY_0=…`: set for every call that follows. */
export function exportedBy({ words }: ShellCommand): ShellCommand["assignments"] {
  if (!/^(?:export|declare|typeset|readonly)$/.test(programName(words))) return [];
  return words.slice(1).flatMap((word) => {
    const [start, name] = /^(\w+)=/.exec(word.text) ?? [];
    return start === undefined || name === undefined || !SETTINGS_VARIABLE.test(name) ? [] : [{ name, value: cutWord(word, start.length) }];
  });
}
