import { programOf } from "../arguments.ts";
import type { TouchedPath } from "../paths/claims.ts";
import { readFind } from "../programs/find.ts";
import type { Span } from "../types.ts";
import { wordSet } from "../words.ts";
import {
  belowHome,
  type Call,
  clearlyHas,
  has,
  isFed,
  isRebuilt,
  isUnknown,
  type Place,
  type PlaceKind,
  placeOf,
  placeOfText,
  type Report,
} from "./call.ts";
import { type FactKind, hasWord, type Judge, type Rule, rules } from "./rule.ts";

type Verdicts = Readonly<Record<PlaceKind, FactKind>>;

/** What deleting a place means: a tree without questions, a tree, single files. */
const FORCED_TREE: Verdicts = {
  vital: "delete-vital",
  system: "delete-vital",
  device: "delete-vital",
  "temporary-root": "delete-vital",
  temporary: "delete-temporary",
  "workspace-root": "delete-vital",
  workspace: "delete-work",
  outside: "delete-outside",
  "outside-perhaps": "delete-outside-gently",
  unknown: "delete-unknown",
};
const TREE: Verdicts = { ...FORCED_TREE, workspace: "delete-files", outside: "delete-outside-gently", unknown: "delete-outside-gently" };
const FILES: Verdicts = { ...TREE, "temporary-root": "delete-temporary", "outside-perhaps": "delete-temporary", unknown: "delete-files" };

const DELETED: Readonly<Record<PlaceKind, string>> = {
  vital: "a folder the machine or its user cannot do without",
  system: "part of the system",
  device: "a device",
  "temporary-root": "the shared folder of temporary files",
  temporary: "temporary files",
  "workspace-root": "the whole workspace, its repository or a folder above it",
  workspace: "files of the workspace",
  outside: "files outside the workspace",
  "outside-perhaps": "temporary files, or whatever a part of the path leads to that is known only when it runs",
  unknown: "something that is known only when it runs",
};

function judgeRemove(call: Call, report: Report): void {
  if (clearlyHas(call, "--help", "--version")) return;
  const isTree = has(call, "-r", "-R", "--recursive");
  const isForced = isTree && has(call, "-f", "-F", "--force");
  const verdicts = isTree ? (isForced ? FORCED_TREE : TREE) : FILES;
  for (const word of call.given.operands) {
    const { kind, path } = placeOf(word, call);
    const isMade = isForced && kind === "workspace" && isRebuilt((path ?? "").slice(call.scene.workspace.length));
    report(isMade ? "delete-tree" : verdicts[kind], `it deletes ${isMade ? "what a build makes" : DELETED[kind]}`, word);
  }
  // `parallel rm -rf ::: a b` names what it deletes.
  const isNamed = call.given.operands.length > 0 && !call.given.operands.some(isUnknown) && !call.command.wrappers.includes("xargs");
  if (isTree && isFed(call) && !isNamed) report(verdicts.unknown, "it deletes what another command prints", call.words[0]);
}

const REMOVERS = wordSet("rm unlink shred rmdir mv");
const FAR: ReadonlySet<PlaceKind> = new Set(["vital", "system", "device"]);

/** `rimraf dist` is how packages clean up; elsewhere it is `rm -rf`. */
function judgeRimraf(call: Call, report: Report): void {
  for (const word of call.given.operands) {
    const { kind } = placeOf(word, call);
    report(kind === "workspace" ? "delete-files" : FORCED_TREE[kind], `it deletes ${DELETED[kind]}`, word);
  }
}

/** Following links leads out of a folder; `-f` names one only to some versions. */
const LEADS_OUT = /^-(?:[HPXE]*L[HLPXE]*|[HLPXE]*f|follow|files0-from)$/;

function judgeFind(call: Call, report: Report): void {
  const { roots, deletes, runs, writes } = readFind(call.words);
  if (deletes) {
    const isTemporary =
      roots.length > 0 &&
      !call.words.some(({ text }) => LEADS_OUT.test(text)) &&
      roots.every((word) => placeOf(word, call).kind === "temporary" && !word.text.includes(".."));
    report(isTemporary ? "delete-found-temporary" : "delete-found", "it deletes every file it finds", deletes);
  }
  if (runs.some(({ words: [first] }) => REMOVERS.has(programOf(first)))) {
    const far = roots.find((word) => FAR.has(placeOf(word, call).kind));
    const outside = roots.find((word) => placeOf(word, call).kind === "outside");
    if (far) report("delete-found", "it deletes every file it finds in a folder of the system", far);
    else if (outside) report("delete-outside-gently", "it deletes every file it finds outside the workspace", outside);
  }
  const [written] = writes;
  if (written) report("runs-helper", "it writes what it finds to a file", written);
  const interactive = runs.find(({ option }) => option.text.startsWith("-ok"))?.option;
  if (interactive) report("runs-helper", "it runs a program for every file it finds", interactive);
}

/** For every command: what it writes, whichever program it is. */
export function judgeWrites(touched: readonly TouchedPath[], call: Call, report: Report): void {
  for (const { how, path, pattern, span } of touched) {
    if (how === "rename") judgeMovedAway(placeOfText(`${path}${pattern ? `/${pattern}` : ""}`, call), span, report);
    if (how !== "write" && how !== "create-link") continue;
    if (path !== undefined) judgeWrite(placeOfText(path, call), call, report, { span });
  }
}

function judgeWrite(place: Place, call: Call, report: Report, at: { readonly span: Span }): void {
  if (/^\/dev\/(?:tcp|udp)\//.test(place.path ?? "") || judgeStartFile(place, call, report, at)) return;
  if (place.kind === "device") report("overwrite-device", "it writes over a device", at);
  else if (place.kind === "system") {
    // Installing and mounting below other folders is daily work; replacing what the system starts from is not.
    const isVital = /^\/(?:etc|boot|s?bin|lib\w*|usr\/s?bin|usr\/lib\w*|proc|sys|System)\//.test(place.path ?? "");
    report(isVital ? "overwrite-system" : "overwrite-outside", "it writes to a folder of the system", at);
  } else if (place.kind === "outside" || place.kind === "vital") report("overwrite-outside", "it writes outside the workspace", at);
}

function judgeMovedAway({ kind }: Place, span: Span, report: Report): void {
  if (FORCED_TREE[kind] === "delete-vital") report("delete-vital", `it moves away ${DELETED[kind]}`, { span });
}

function judgeMove(call: Call, report: Report): void {
  const target = call.given.operands.at(-1);
  if (target?.text === "/dev/null") report("delete-beyond-recovery", "it moves files to /dev/null, which destroys them", target);
}

function judgeTruncate(call: Call, report: Report): void {
  for (const word of call.given.operands) {
    const { kind } = placeOf(word, call);
    if (kind !== "temporary" && kind !== "workspace") report("delete-outside-gently", "it empties a file outside the workspace", word);
    else if (kind === "workspace" && has(call, "-s", "--size")) report("empty-file", "it empties a file", word);
  }
}

function judgeRsync(call: Call, report: Report): void {
  const isMirror = call.given.options.some(({ name }) => name.startsWith("--del") || name === "--remove-source-files");
  if (isMirror && !has(call, "-n", "--dry-run", "--list-only")) report("mirror-deletes", "it deletes what the source does not have");
}

export const FILE_RULES: readonly (Rule | Judge)[] = [
  { programs: "rm srm unlink rmdir", judge: judgeRemove },
  { programs: "rimraf del-cli", judge: judgeRimraf },
  { programs: "find", judge: judgeFind },
  { programs: "mv", judge: judgeMove },
  { programs: "truncate", judge: judgeTruncate },
  { programs: "rsync", judge: judgeRsync },
  ...rules("delete-beyond-recovery", "it destroys files beyond recovery", ["shred wipe scrub:", (call) => call.given.operands.length > 0]),
  ...rules("delete-beyond-recovery", "it empties the trash", "trash-empty:"),
  ...rules("delete-tree", "it deletes files after packing them", "tar: --remove-files"),
  ...rules(
    "mirror-deletes",
    "it deletes files of a remote storage",
    "rclone: delete|purge|sync|deletefile|cleanup|rmdirs|move|bisync !--dry-run !-n !--help !--interactive !-i",
  ),
  ...rules("mirror-deletes", "it overwrites one side with the other", "unison: -force"),
];

/** Below a home: what runs by itself at the next login or shell. */
const AT_LOGIN =
  /^(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|xinitrc|xprofile|xsession|pam_environment|gitconfig)|\.config\/git\/(?:config|attributes)|\.config\/(?:fish\/.*|autostart(?:\/.*)?|systemd\/user(?:\/.*)?|environment\.d\/.*)|Library\/Launch(?:Agents|Daemons)(?:\/.*)?|\.ssh\/(?:authorized_keys|rc|config|environment))$/;
/** In any folder: what tools run by themselves. */
const BY_TOOLS = /\/(?:\.envrc|\.vscode\/tasks\.json|\.husky\/[^/]+)$/;
const OF_MACHINE =
  /^\/(?:etc\/(?:cron.*|rc\.local|profile.*|systemd\/.*|init\.d\/.*|ld\.so\.preload|bash\.bashrc|zsh.*)|var\/spool\/cron.*|Library\/Launch(?:Agents|Daemons)\/.*)$/;

/** In any repository: what git runs, and what tells it to run other programs. */
const BY_GIT = /\/\.git\/(?:(?:modules\/.+\/|worktrees\/[^/]+\/)?(?:hooks\/[^/]+|config(?:\.worktree)?)|info\/attributes)$/;

/** For every path a command writes: does something start from it later? */
function judgeStartFile({ path }: Place, call: Call, report: Report, at: { readonly span: Call["command"]["span"] }): boolean {
  if (path === undefined) return false;
  const below = belowHome(path, call);
  if ((below !== undefined && AT_LOGIN.test(below)) || OF_MACHINE.test(path)) {
    report("starts-at-login", "it changes what runs by itself at every login", at);
    return true;
  }
  if (BY_GIT.test(path)) {
    report("starts-at-login", "it changes what git runs by itself", at);
    return true;
  }
  if (!BY_TOOLS.test(path)) return false;
  report("schedules-work", "it changes what other programs run by themselves", at);
  return true;
}

/** Options by which ordinary programs start others, or load code. */
export const HELPER_RULES: readonly (Rule | Judge)[] = [
  ...rules(
    "runs-helper",
    "it makes the program run another one",
    "rg ripgrep: --pre --hostname-bin --search-zip -z",
    [
      "tar bsdtar:",
      hasWord(/^--(?:checkpoint-action|to-command|use-compress-program|info-script|new-volume-script|rsh-command|rmt-command)/),
    ],
    ["ssh scp sftp:", hasWord(/(?:proxycommand|localcommand|knownhostscommand)/i)],
    "sort: --compress-program",
    "zip: --unzip-command",
    "man: -P --pager -H --html",
    ["vim vi nvim ex:", ({ words }) => words.some(({ text }) => /^\+?:?!|^-c$/.test(text)) && words.some(({ text }) => text.includes("!"))],
  ),
  ...rules("loads-code", "it loads code into the kernel", "insmod kextload:"),
];
