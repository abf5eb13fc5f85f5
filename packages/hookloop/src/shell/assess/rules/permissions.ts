import { type Call, has, operand, type Report } from "../call/call.ts";
import { placeOf } from "../call/place.ts";
import type { Judge, Rule } from "../rule.ts";

const BROAD = new Set(["vital", "system", "workspace-root", "temporary-root", "device", "unknown"]);
/** Everybody may write: 777, 0666, a+w, o+rwx, +w for all. */
const WORLD_WRITABLE = /^0?[0-7]{0,3}[2367]$|^(?:[ugo]*[oa][ugoa]*)[+=][rxXst]*w/;
const SPECIAL_BIT = /^[2467][0-7]{3}$|^[ug+]*[ug]?\+[rwx]*s/;

function judgeMode(call: Call, report: Report): void {
  const [mode, ...paths] = call.words.slice(1).filter(({ text }) => !/^-(?:[RvcfHLP]+|-\w[\w-]*(?:=.*)?)$/.test(text));
  if (!mode || has(call, "--help", "--version")) return;
  const isTree = has(call, "-R", "--recursive");
  const isOpen = WORLD_WRITABLE.test(mode.text);
  for (const word of paths) {
    const { kind } = placeOf(word, call);
    if (kind === "device") report("opens-permissions", "it changes who may use a device", word);
    else if (isTree && BROAD.has(kind) && kind !== "unknown" && !(kind === "workspace-root" && !isOpen)) {
      report("opens-permissions", "it changes who may read and write a whole system folder or home", word);
    } else if (isOpen && (isTree || kind === "system" || kind === "vital")) report("opens-permissions", "it lets everybody write", word);
    else if (SPECIAL_BIT.test(mode.text)) report("opens-permissions", "it lets a program run with its owner's rights", word);
    else if (kind === "system" || kind === "vital") report("raises-rights", "it changes permissions of the system", word);
  }
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
  { programs: "visudo", without: ["-c", "--check"], kind: "changes-users", text: "it changes who may become administrator" },
  { programs: "userdel groupdel deluser delgroup", kind: "changes-users", text: "it deletes a user or group" },
  {
    programs: "useradd adduser usermod groupmod groupadd addgroup gpasswd chpasswd newusers vipw",
    kind: "changes-users",
    text: "it changes the users of the machine",
  },
  { programs: "passwd", without: ["-S", "--status", "--help"], kind: "changes-users", text: "it changes a password" },
  { programs: "dscl", sub: "* -delete|-create|-append", kind: "changes-users", text: "it changes the users of the machine" },
  {
    programs: "net",
    sub: "user|localgroup",
    when: ({ words }) => words.some(({ text }) => /^\/(?:add|delete)$/i.test(text)),
    kind: "changes-users",
    text: "it changes the users of the machine",
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
