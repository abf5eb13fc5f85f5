import { programOf } from "../arguments.ts";
import type { ShellWord } from "../types.ts";
import { type Call, has, operand, type PlaceKind, placeOf, type Report } from "./call.ts";
import type { FactKind, Judge, Rule } from "./rule.ts";

const BROAD = new Set(["vital", "system", "workspace-root", "temporary-root", "device", "unknown"]);
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

/** `sudo -i`, `sudo -u bob -s`, `sudo su`, `sudo bash`: what is done there, nobody has read. */
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
  {
    programs: "setfacl",
    with: ["-R", "--recursive", "-b", "--remove-all"],
    kind: "raises-rights",
    text: "it changes who may read and write",
  },
  {
    programs: "chattr",
    when: ({ words }) => words.some(({ text }) => /^[-+][a-z]*i/.test(text)),
    kind: "raises-rights",
    text: "it changes whether files can be changed",
  },
  { programs: "setcap", kind: "opens-permissions", text: "it gives a program rights of the administrator" },
  {
    programs: "sudo doas pkexec gosu run0",
    without: ["-l", "--list", "-V", "--version", "--help", "-k", "-K"],
    when: ({ words }) => words.length > 1,
    kind: "raises-rights",
    text: "it runs with the rights of another user",
  },
  { programs: "su", kind: "raises-rights", text: "it runs with the rights of another user" },
  {
    programs: "su",
    without: ["-c", "--command", "--help", "--version"],
    kind: "takes-over-rights",
    text: "it opens a shell of another user",
  },
  {
    programs: "sudo doas pkexec run0",
    when: opensRootShell,
    kind: "takes-over-rights",
    text: "it opens a shell with the rights of another user",
  },
  {
    programs: "sudo",
    when: answersForUser,
    kind: "takes-over-rights",
    text: "it gives the password of a user without asking them",
  },
  { programs: "visudo", without: ["-c", "--check"], kind: "changes-users", text: "it changes who may become administrator" },
  { programs: "userdel groupdel deluser delgroup", kind: "changes-users", text: "it deletes a user or group" },
  {
    programs: "useradd adduser usermod groupmod groupadd addgroup gpasswd chpasswd newusers vipw",
    kind: "changes-users",
    text: "it changes the users of the machine",
  },
  { programs: "passwd", without: ["-S", "--status", "--help"], kind: "changes-users", text: "it changes a password" },
  {
    programs: "dscl",
    when: ({ words }) => words.some(({ text }) => /^-(?:delete|create|append|change|merge|passwd)$/i.test(text)),
    kind: "changes-users",
    text: "it changes the users of the machine",
  },
  {
    programs: "net",
    sub: "user|localgroup",
    when: ({ words }) => words.some(({ text }) => /^\/(?:add|delete)$/i.test(text)),
    kind: "changes-users",
    text: "it changes the users of the machine",
  },
  {
    programs: "sysadminctl",
    when: ({ words }) => words.some(({ text }) => /^-(?:add|delete|reset|secureToken)/i.test(text)),
    kind: "changes-users",
    text: "it changes the users of the machine",
  },
  {
    programs: "fdesetup",
    sub: "disable|remove|removerecovery",
    kind: "opens-firewall",
    text: "it switches a protection of the system off",
  },
  {
    programs: "osascript",
    when: ({ words }) => words.some(({ text }) => /with administrator privileges/i.test(text)),
    kind: "raises-rights",
    text: "it runs with the rights of another user",
  },
  {
    programs: "setenforce",
    when: (call) => /^(?:0|permissive)$/.test(operand(call, 0)),
    kind: "opens-firewall",
    text: "it switches a protection of the system off",
  },
  {
    programs: "spctl csrutil",
    with: ["--master-disable", "--global-disable"],
    kind: "opens-firewall",
    text: "it switches a protection of the system off",
  },
  { programs: "csrutil", sub: "disable", kind: "opens-firewall", text: "it switches a protection of the system off" },
  {
    programs: "xattr",
    with: ["-d"],
    when: ({ words }) => words.some(({ text }) => text === "com.apple.quarantine"),
    kind: "raises-rights",
    text: "it removes the mark of a downloaded file",
  },
];
