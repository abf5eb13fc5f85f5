/**
 * Takes a setting of git. Says whether it is known to start no program and to switch no hook. New ways for git to run programs come with
 * every release: what is not known here is none of the harmless.
 */

/** Sections, by the names in them that only say how git does its own work. `*`: all of them. */
const HARMLESS: Readonly<Record<string, string>> = {
  advice: "*",
  am: "*",
  apply: "*",
  author: "*",
  blame: "*",
  checkout: "*",
  clean: "*",
  color: "*",
  column: "*",
  committer: "*",
  feature: "*",
  github: "*",
  gitlab: "*",
  grep: "*",
  i18n: "*",
  index: "*",
  log: "*",
  mailmap: "file",
  notes: "*",
  pack: "*",
  pretty: "*",
  rerere: "*",
  safe: "*",
  stash: "*",
  status: "*",
  tag: "*",
  transfer: "*",
  user: "*",
  versionsort: "*",
  worktree: "*",
  branch: "autosetupmerge autosetuprebase sort",
  commit: "*",
  core: "abbrev autocrlf bare bigfilethreshold checkroundtripencoding checkstat commentchar commentstring commitgraph compression deltabasecachelimit disambiguate eol excludesfile filemode filesreflocktimeout fscache fsync fsyncmethod ignorecase ignorestat logallrefupdates longpaths loosecompression maxtreedepth multipackindex notesref packedgitlimit packedgitwindowsize packedrefstimeout precomposeunicode preloadindex protecthfs protectntfs quotepath repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks trustctime untrackedcache usereplacerefs warnambiguousrefs whitespace",
  diff: "algorithm autorefreshindex colormoved colormovedws context dirstat dstprefix guitool ignoresubmodules indentheuristic interhunkcontext mnemonicprefix noprefix orderfile relative renamelimit renames srcprefix statgraphwidth statnamewidth submodule suppressblankempty tool wordregex wserrorhighlight",
  difftool: "prompt trustexitcode",
  extensions: "objectformat partialclone preciousobjects worktreeconfig",
  fetch: "*",
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
  return names.includes("*") || names.includes(last);
}
