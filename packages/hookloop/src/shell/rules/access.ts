import { globsPattern, SECRETS_AT_HOME, SECRETS_OF_SYSTEM } from "../../secret-files.ts";
import { programOf } from "../arguments.ts";
import { isKnownTo, programsWith } from "../programs/program.ts";
import type { ShellCommand, ShellWord } from "../types.ts";
import { wordSet } from "../words.ts";
import { belowHome, type Call, has, type PlaceKind, pathText, placeOf, type Report } from "./call.ts";
import { type FactKind, hasWord, type Judge, type Rule, rules } from "./rule.ts";

const BROAD = wordSet("vital system workspace-root temporary-root device unknown");
/** Everybody may write: 777, 0666, a+w, o+rwx, +w for all. */
const WORLD_WRITABLE = /^0?[0-7]{0,3}[2367]$|^(?=[ugo]*[oa])[ugoa]+[+=][rxXst]*w/;
/** 777, a+rwx: everybody may do everything. */
const EVERYTHING = /^[0-7]?777$|^(?:a|(?=[ugo]*o)(?=[ugo]*g)[ugo]+|)[+=](?=[^,]*r)(?=[^,]*w)(?=[^,]*x)[rwxXst]+$/;
const SPECIAL_BIT = /^[2467][0-7]{3}$|^[ug+]*[ug]?\+[rwx]*s/;

function judgeMode(call: Call, report: Report): void {
  const [mode, ...paths] = call.words.slice(1).filter(({ text }) => !/^-(?:[RvcfHLP]+|-\w[\w-]*(?:=.*)?)$/.test(text));
  if (!mode || has(call, "--help", "--version")) return;
  for (const word of paths) {
    const found = changeOf(mode.text, placeOf(word, call).kind, has(call, "-R", "--recursive"));
    if (found) report(found[0], found[1], word);
  }
}

/** What a mode means for a place, the worst first. */
function changeOf(mode: string, kind: PlaceKind, isTree: boolean): readonly [FactKind, string] | undefined {
  const isOpen = WORLD_WRITABLE.test(mode);
  const isSystem = kind === "system" || kind === "vital";
  if (kind === "device") return ["opens-permissions", "it changes who may use a device"];
  if (isTree && BROAD.has(kind) && kind !== "unknown" && !(kind === "workspace-root" && !isOpen))
    return ["opens-permissions", "it changes who may read and write a whole system folder or home"];
  if (isOpen && (isTree || isSystem)) return ["opens-permissions", "it lets everybody write"];
  if (SPECIAL_BIT.test(mode)) return ["opens-permissions", "it lets a program run with its owner's rights"];
  if (isOpen && kind !== "temporary")
    return EVERYTHING.test(mode) ? ["opens-permissions", "it lets everybody do everything"] : ["raises-rights", "it lets everybody write"];
  return isSystem ? ["raises-rights", "it changes permissions of the system"] : undefined;
}

function judgeOwner(call: Call, report: Report): void {
  const paths = has(call, "--reference") ? call.given.operands : call.given.operands.slice(1);
  const isTree = has(call, "-R", "--recursive");
  for (const word of paths) {
    const { kind } = placeOf(word, call);
    if (isTree && BROAD.has(kind) && kind !== "workspace-root" && kind !== "unknown") {
      report("changes-ownership", "it changes the owner of a whole system folder or home", word);
    } else if (kind === "system" || kind === "vital" || kind === "device")
      report("raises-rights", "it changes the owner of a part of the system", word);
  }
}

/** `sudo -i`, `sudo -u bob -s`, `sudo su`, `sudo bash`: what is done there is not checked. */
function opensRootShell({ words }: Call): boolean {
  const isShell = (word: ShellWord | undefined): boolean => /^(?:su|(?:ba|z|da|k|a|fi|c|tc)?sh)$/.test(programOf(word));
  const rest = words.slice(1).filter(({ text }, at) => !/^-/.test(text) && !/^-[ugChpTUrtD]$/.test(words[at]?.text ?? ""));
  const options = words.slice(1, rest[0] ? words.indexOf(rest[0]) : undefined);
  const isLogin = rest.length === 0 && options.some(({ text }) => /^(?:-[A-Za-z]*[is]|--login|--shell)$/.test(text));
  return (
    isLogin || (rest.length === 1 && isShell(rest[0])) || (programOf(rest[0]) === "su" && !words.some(({ text }) => /^-\w*c$/.test(text)))
  );
}

/** `sudo -S`, `sudo -A`, `SUDO_ASKPASS=…`. */
function answersForUser({ words, command }: Call): boolean {
  if (command.assignments.some(({ name }) => name === "SUDO_ASKPASS")) return true;
  const end = words.findIndex(({ text }, at) => at > 0 && !text.startsWith("-"));
  return words.slice(1, end === -1 ? undefined : end).some(({ text }) => /^(?:-[A-Zbknv]*[AS][A-Zbknv]*|--askpass|--stdin)$/.test(text));
}

export const PERMISSION_RULES: readonly (Rule | Judge)[] = [
  { programs: "chmod", judge: judgeMode },
  { programs: "chown chgrp", judge: judgeOwner },
  ...rules("raises-rights", "it changes who may read and write", "setfacl: -R --recursive -b --remove-all"),
  ...rules("raises-rights", "it changes whether files can be changed", ["chattr:", hasWord(/^[-+][a-z]*i/)]),
  ...rules("opens-permissions", "it gives a program rights of the administrator", "setcap:"),
  ...rules(
    "raises-rights",
    "it runs with the rights of another user",
    ["sudo doas pkexec gosu run0: !-l !--list !-V !--version !--help !-k !-K", ({ words }) => words.length > 1],
    "su:",
    ["osascript:", hasWord(/with administrator privileges/i)],
  ),
  ...rules("takes-over-rights", "it opens a shell of another user", "su: !-c !--command !--help !--version"),
  ...rules("takes-over-rights", "it opens a shell with the rights of another user", ["sudo doas pkexec run0:", opensRootShell]),
  ...rules("takes-over-rights", "it gives the password of a user without asking them", ["sudo:", answersForUser]),
  ...rules("changes-users", "it changes who may become administrator", "visudo: !-c !--check"),
  ...rules("changes-users", "it deletes a user or group", "userdel groupdel deluser delgroup:"),
  ...rules(
    "changes-users",
    "it changes the users of the machine",
    "useradd adduser usermod groupmod groupadd addgroup gpasswd chpasswd newusers vipw:",
    ["dscl:", hasWord(/^-(?:delete|create|append|change|merge|passwd)$/i)],
    ["net: user|localgroup", hasWord(/^\/(?:add|delete)$/i)],
    ["sysadminctl:", hasWord(/^-(?:add|delete|reset|secureToken)/i)],
  ),
  ...rules("changes-users", "it changes a password", "passwd: !-S !--status !--help"),
  ...rules(
    "opens-firewall",
    "it switches a protection of the system off",
    "fdesetup: disable|remove|removerecovery",
    "setenforce: 0|permissive",
    "spctl csrutil: --master-disable --global-disable",
    "csrutil: disable",
  ),
  ...rules("raises-rights", "it removes the mark of a downloaded file", ["xattr: -d", hasWord(/^com\.apple\.quarantine$/)]),
];

/** Below a home: where keys, tokens and passwords are kept. */
const SECRET_AT_HOME = globsPattern(SECRETS_AT_HOME);
const PUBLIC_AT_HOME = /^\.ssh\/(?:.*\.pub$|known_hosts)/;
const SECRET_OF_SYSTEM = globsPattern(SECRETS_OF_SYSTEM);

/** The secret store a word names, by its usual name. */
function secretOf(word: ShellWord, call: Call): string | undefined {
  if (!/[./~]/.test(word.text) && word.parts.length < 2) return undefined;
  // Which process it is does not matter: `/proc/$PPID/environ` is that of the agent, with the key of its model.
  if (/^\/proc\/[^/]+\/(?:task\/[^/]+\/)?environ$/.test(word.text)) return "the environment of a process";
  const { path } = placeOf(word, call);
  if (path === undefined) return undefined;
  const below = belowHome(path, call);
  if (below !== undefined && SECRET_AT_HOME.test(below) && !PUBLIC_AT_HOME.test(below)) return below;
  return SECRET_OF_SYSTEM.test(path) ? path : undefined;
}

/** Below a home: no secrets themselves, but what tells where they are used. */
const NEAR_SECRETS =
  /(?:^|\/)(?:\.ssh\/known_hosts\S*|\.m2\/settings(?:-security)?\.xml|\.gradle\/gradle\.properties|\.nuget\/NuGet\/NuGet\.Config|\.bundle\/config)$/;

/** The pieces of a word that can be paths: `~/.ssh:/keys`, `--file=~/.netrc`. */
function piecesOf(word: ShellWord): readonly ShellWord[] {
  const pieces = /[:=,@]/.test(word.text) ? word.text.split(/[:=,@]/).filter((text) => /^[~/]/.test(text)) : [];
  return [word, ...pieces.map((text) => asPath(text, word))];
}

/** For every command: does it read or change a secret store? */
export function judgeSecrets(call: Call, report: Report): void {
  for (const { operator, target } of call.command.redirects) {
    const secret = secretOf(target, call);
    if (secret)
      report(
        operator.startsWith("<") ? "reads-secret" : "changes-secret",
        `it ${operator.startsWith("<") ? "reads" : "writes"} ${secret}`,
        target,
      );
  }
  if (isKnownTo(call.name, "uses-keys") || (call.name === "chmod" && /^0?[4-7]00$/.test(call.given.operands[0]?.text ?? ""))) return;
  for (const word of call.words.slice(1)) judgeSecretWord(word, call, report);
}

function judgeSecretWord(word: ShellWord, call: Call, report: Report): void {
  const secret = piecesOf(word)
    .map((piece) => secretOf(piece, call))
    .find(Boolean);
  const isWriter = isKnownTo(call.name, "changes-files");
  if (secret)
    report(isWriter ? "changes-secret" : "reads-secret", `it ${isWriter ? "touches" : "reads"} ${secret}, which holds secrets`, word);
  else if (NEAR_SECRETS.test(placeOf(word, call).path ?? "")) report("looks-near-secrets", "it looks at a file beside secrets", word);
}

/** Something secret goes into a program that talks to the network. */
function judgeNetwork(call: Call, report: Report): void {
  for (const source of call.sources()) {
    if (isSecretSource(source, call)) report("sends-secret", "it sends secrets over the network", source);
  }
  for (const { value, word } of isKnownTo(call.name, "uploads") ? call.given.options : []) {
    const file = /@(.+)$/.exec(value?.text ?? "")?.[1] ?? value?.text;
    if (file && /[/~]/.test(file) && secretOf(asPath(file, word), call))
      report("sends-secret", "it sends a file with secrets over the network", word);
  }
  const named = isKnownTo(call.name, "uploads") ? call.words.slice(1).find(({ text }) => SECRET_NAME.test(text)) : undefined;
  if (named) report("sends-secret", "it sends a file with secrets over the network", named);
  const substituted = call.words
    .slice(1)
    .find(({ parts }) => parts.some((part) => part.kind === "computed" && SECRET_TEXT.test(part.source)));
  if (substituted) report("sends-secret", "it sends secrets over the network", substituted);
}

const SECRET_NAME =
  /(?:^|[/@=:~<\uFFFF])\.(?:ssh\/(?:id_\w+$|\w+_key$)|aws\/credentials|gnupg\/|netrc$|git-credentials$|kube\/config$|docker\/config\.json$|env(?:\.(?!example|sample)\w+)?$)|\/etc\/(?:shadow|passwd|sudoers)$/;
const SECRET_TEXT = /(?:\.ssh\/id_|\.aws\/credentials|\.gnupg|\.netrc|\/etc\/shadow|\.env\b|(?:^|[\s(`])(?:env|printenv)(?:\s|[)`|]|$))/;

function isSecretSource(source: ShellCommand, { scene }: Call): boolean {
  const call = scene.callOf(source);
  if (call.name === "env" || call.name === "printenv" || call.name === "set") return source.words.length === 1;
  if (call.words.slice(1).some(({ text }) => /(?:^|\/)\.env(?:\.\w+)?$/.test(text))) return true;
  return (
    call.words.slice(1).some((word) => secretOf(word, call) !== undefined) || source.redirects.some(({ target }) => secretOf(target, call))
  );
}

function asPath(text: string, { span }: ShellWord): ShellWord {
  const isHome = text.startsWith("~");
  const rest = { kind: "text" as const, text: isHome ? text.slice(1) : text, isQuoted: false };
  return { text, source: text, span, parts: isHome ? [{ kind: "home", text: "~" }, rest] : [rest] };
}

/** `bash -i >& /dev/tcp/…`, `nc -e sh`. */
export function judgeReverseShell(call: Call, report: Report): void {
  const socket = call.command.redirects.find(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.text));
  if (socket) report("reverse-shell", "it connects a program to an address on the network", socket.target);
}

function judgeNetcat(call: Call, report: Report): void {
  const runs = has(call, "-e", "-c", "--exec", "--sh-exec") && call.name !== "telnet";
  if (runs || call.given.operands.some(({ text }) => /^(?:exec|system):/i.test(text)))
    report("reverse-shell", "it lets the other side of a connection run commands");
  else if (call.sources().some((source) => /^(?:sh|bash|zsh)$/.test(programOf(source.words[0]))))
    report("reverse-shell", "it connects a shell to the network");
  if (call.command.redirects.some(({ operator, target }) => operator === "<" && pathText(target, call) !== undefined))
    report("sends-file", "it sends a file over the network");
}

const USUALLY_SECRET =
  /(?:^|\/)(?:\.env(?:\.(?!example|sample|template|dist)\w+)?|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:p12|pfx|keystore|jks|kdbx)|[^/]*private[^/]*\.(?:pem|key)|service-account[\w-]*\.json)$/;
/** Who has an account: no secret, but reading the whole list is a typical step of an attack. */
const ACCOUNTS = /^\/etc\/(?:passwd|master\.passwd|opasswd|security\/(?:passwd|opasswd))-?$/;
export const SECRET_RULES: readonly (Rule | Judge)[] = [
  { programs: programsWith("is", "network").join(" "), judge: judgeNetwork },
  { programs: "nc ncat netcat socat telnet", judge: judgeNetcat },
  ...rules(
    "reads-secret",
    "it shows private keys or passwords",
    "gpg gpg2: --export-secret-keys --export-secret-subkeys --delete-secret-keys --delete-secret-and-public-key",
    "security: find-generic-password|find-internet-password|dump-keychain|export|delete-keychain|unlock-keychain|add-trusted-cert|set-keychain-settings|authorizationdb",
    "gh glab: auth token",
    "gcloud: auth print-*",
    "gcloud: auth application-default print-*",
    "az: account get-access-token",
    "heroku: auth:token",
    "git: credential fill",
    "secret-tool: lookup|search|clear",
    "pass gopass: show|rm|insert|edit",
  ),
  ...rules("changes-service", "it forgets every key", "ssh-add: -D"),
  ...rules("sends-file", "it sends a file over the network", "curl: -T --upload-file", "wget: --post-file --body-file"),
  ...rules("reads-secret", "it reads who has an account on the machine", [
    "cat less more head tail bat tac nl strings xxd od hexdump base64 base32 cp mv scp rsync tar zip ln view vi vim nano emacs ed:",
    ({ words, command }) =>
      words.slice(1).some(({ text }) => ACCOUNTS.test(text)) ||
      command.redirects.some(({ operator, target }) => operator === "<" && ACCOUNTS.test(target.text)),
  ]),
  ...rules("looks-near-secrets", "it reads a file that usually holds secrets", [
    "cat less more head tail bat tac nl strings xxd od base64 cp scp:",
    hasWord(USUALLY_SECRET),
  ]),
];
