import { UNKNOWN } from "../types.ts";
import { type Call, has, operand, type Report } from "./call.ts";
import type { Judge, Rule } from "./rule.ts";

const STOPS = "it stops or restarts the machine";
/** Programs a session or machine cannot go on without. */
const VITAL_PROCESS =
  /^(?:init|systemd.*|launchd|kernel_task|loginwindow|windowserver|sshd|dbus.*|xorg|gnome.*|kwin.*|login|getty|networkmanager|wpa_supplicant|dockerd|containerd|finder|dock|\.|\.\*|\*|)$/i;

function judgeKill(call: Call, report: Report): void {
  const targets = call.words.slice(1).filter(({ text }, at) => !(at === 0 && /^-(?!1$)/.test(text)) && text !== "--");
  const all = targets.find(({ text }) => text === "-1" || text === "1" || text === "0");
  const isSignal = call.words[1]?.text === "-1" && call.words.length > 2;
  if (all && !(isSignal && all === call.words[1]))
    report("kills-broadly", "it ends every process it may end, or the first one of the machine", all);
  else if (targets.length > 0 && !has(call, "-l", "--list")) report("kills-process", "it ends a process");
}

function judgeKillByName(call: Call, report: Report): void {
  const [name] = call.given.operands;
  const isWholeUser = !name && has(call, "-u", "-U", "--user", "--uid", "--euid", "-g", "-t");
  if (isWholeUser || (name && VITAL_PROCESS.test(name.text)))
    report("kills-broadly", "it ends processes the session or the machine needs", name);
  else if (name) report("kills-process", "it ends every process of a name", name);
}

function judgeSystemctl(call: Call, report: Report): void {
  const verb = operand(call, 0);
  const [, ...units] = call.given.operands.map(({ text }) => text);
  if (/^(?:poweroff|reboot|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|isolate|exit|switch-root|soft-reboot)$/.test(verb))
    report("stops-machine", STOPS);
  else if (!/^(?:stop|disable|mask|kill|revert)$/.test(verb) || has(call, "--user")) return;
  else if (
    units.some((unit) =>
      /^(?:ssh|sshd|network.*|systemd.*|dbus|firewalld|ufw|nftables|iptables|auditd|apparmor|falcon.*|cron.*|rsyslog|fail2ban|docker|containerd|kubelet)(?:\.\w+)?$/i.test(
        unit,
      ),
    )
  ) {
    report("stops-system-service", "it stops a service the machine needs");
  } else report("stops-service", "it stops a service");
}

/** `:(){ :|:& };:` and `while true; do x & done` start processes without end. */
export const FORK_BOMB: RegExp = /(?:^|[\s;&|({])([\w:.]+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1\s*&[^}]*\}/;

export const MACHINE_RULES: readonly (Rule | Judge)[] = [
  { programs: "killall5", kind: "kills-broadly", text: "it ends every process" },
  { programs: "nmcli", sub: "networking|radio off", kind: "changes-service", text: "it switches the network off" },
  { programs: "route", sub: "flush|del|delete", kind: "changes-service", text: "it changes the network of the machine" },
  { programs: "shutdown reboot halt poweroff telinit", without: ["--help", "-c", "--show"], kind: "stops-machine", text: STOPS },
  { programs: "init", when: (call) => /^[0156s]$/i.test(operand(call, 0)), kind: "stops-machine", text: STOPS },
  { programs: "stop-computer restart-computer", kind: "stops-machine", text: STOPS },
  { programs: "kill", judge: judgeKill },
  { programs: "pkill killall killall5 skill", judge: judgeKillByName },
  { programs: "taskkill stop-process", kind: "kills-process", text: "it ends a process" },
  { programs: "systemctl", judge: judgeSystemctl },
  { programs: "service", when: (call) => operand(call, 1) === "stop", kind: "stops-service", text: "it stops a service" },
  {
    programs: "rc-service rc-update",
    when: (call) => /^(?:stop|del|delete)$/.test(operand(call, call.name === "rc-service" ? 1 : 0)),
    kind: "stops-service",
    text: "it stops a service",
  },
  {
    programs: "launchctl",
    sub: "bootout|remove|unload|disable|kill|stop|reboot",
    when: (call) =>
      /^system/.test(operand(call, 1)) || /com\.apple\.|^\/(?:system|library)\//.test(operand(call, 1)) || operand(call, 0) === "reboot",
    kind: "stops-system-service",
    text: "it stops a service the machine needs",
  },
  { programs: "launchctl", sub: "bootout|remove|unload|disable|kill|stop", kind: "stops-service", text: "it stops a service" },
  {
    programs: "launchctl",
    sub: "load|bootstrap|enable|submit",
    kind: "schedules-work",
    text: "it makes something run by itself from now on",
  },
  { programs: "sc", sub: "stop|delete|config", kind: "stops-service", text: "it stops or removes a service" },
  { programs: "crontab", with: ["-r"], kind: "delete-outside", text: "it deletes every scheduled job" },
  { programs: "crontab", without: ["-l", "-r", "--help"], kind: "schedules-work", text: "it makes something run by itself from now on" },
  {
    programs: "at batch schtasks",
    without: ["-l", "--help"],
    when: (call) => call.name !== "schtasks" || /\/(?:create|delete|change)/i.test(call.scene.text),
    kind: "schedules-work",
    text: "it makes something run later, by itself",
  },
  {
    programs: "iptables ip6tables",
    with: ["-F", "--flush", "-X", "--delete-chain"],
    kind: "opens-firewall",
    text: "it removes the rules of the firewall",
  },
  {
    programs: "iptables ip6tables",
    with: ["-P", "--policy"],
    when: (call) => /\baccept\b/i.test(call.words.map(({ text }) => text).join(" ")),
    kind: "opens-firewall",
    text: "it opens the firewall",
  },
  {
    programs: "iptables ip6tables",
    with: ["-A", "-I", "-D", "--append", "--insert", "--delete"],
    kind: "changes-service",
    text: "it changes the firewall",
  },
  { programs: "nft", sub: "flush|delete", kind: "opens-firewall", text: "it removes the rules of the firewall" },
  { programs: "ufw", sub: "disable|reset", kind: "opens-firewall", text: "it switches the firewall off" },
  { programs: "ufw", sub: "allow|delete|default", kind: "changes-service", text: "it changes the firewall" },
  {
    programs: "firewall-cmd",
    when: ({ given }) => given.options.some(({ name }) => /^--(?:remove|add|panic|set)/.test(name)),
    kind: "changes-service",
    text: "it changes the firewall",
  },
  { programs: "pfctl", with: ["-d", "-F"], kind: "opens-firewall", text: "it switches the firewall off" },
  { programs: "netsh", sub: "advfirewall|firewall", kind: "opens-firewall", text: "it changes the firewall" },
  { programs: "history", with: ["-c", "-w"], kind: "hides-traces", text: "it deletes the history of commands" },
  {
    programs: "journalctl",
    when: ({ given }) => given.options.some(({ name }) => name.startsWith("--vacuum") || name === "--rotate"),
    kind: "hides-traces",
    text: "it deletes logs",
  },
  { programs: "dmesg", with: ["-C", "--clear", "-c"], kind: "hides-traces", text: "it deletes logs" },
  { programs: "auditctl", with: ["-D", "-e"], kind: "hides-traces", text: "it switches the recording of the system off" },
  { programs: "sysctl", with: ["-w", "--write", "-p"], kind: "changes-service", text: "it changes how the system works" },
  { programs: "sysctl", when: (call) => operand(call, 0).includes("="), kind: "changes-service", text: "it changes how the system works" },
  { programs: "modprobe rmmod insmod", kind: "changes-service", text: "it changes the kernel" },
  { programs: "umount", with: ["-a", "--all", "-f", "-l"], kind: "stops-service", text: "it takes away a disk in use" },
  {
    programs: "mount",
    with: ["-o", "--bind"],
    when: (call) => /remount/.test(call.words.map(({ text }) => text).join(" ")),
    kind: "changes-service",
    text: "it changes how a disk is used",
  },
  { programs: "swapoff", with: ["-a"], kind: "stops-service", text: "it takes memory away from the machine" },
  {
    programs: "ip",
    sub: "link|route|addr|address delete|del|flush|set",
    kind: "changes-service",
    text: "it changes the network of the machine",
  },
  { programs: "ifconfig", when: (call) => operand(call, 1) === "down", kind: "changes-service", text: "it switches the network off" },
  {
    programs: "apt apt-get yum dnf zypper pacman brew apk snap",
    sub: "remove|purge|autoremove|erase|uninstall|del",
    without: ["--dry-run", "-s", "--simulate", "--help"],
    kind: "removes-packages",
    text: "it removes software of the machine",
  },
  {
    programs: "pacman",
    when: ({ words }) => words.some(({ text }) => /^-R/.test(text)),
    kind: "removes-packages",
    text: "it removes software of the machine",
  },
  {
    programs: "dpkg rpm",
    with: ["-r", "--remove", "-P", "--purge", "-e", "--erase"],
    kind: "removes-packages",
    text: "it removes software of the machine",
  },
  { programs: "reg", sub: "delete", kind: "delete-outside", text: "it deletes settings of the system" },
  { programs: "defaults", sub: "delete", kind: "delete-outside-gently", text: "it deletes settings" },
  { programs: "vssadmin wbadmin", sub: "delete", kind: "delete-beyond-recovery", text: "it deletes backups" },
  {
    programs: "nvram tccutil systemsetup networksetup scutil pmset kextunload profiles chflags softwareupdate",
    when: ({ words }) =>
      words.some(({ text }) => /^-?-?(?:set|reset|remove|delete|d|c|u|nouchg|schg|ignore|clear)/.test(text) || /^[\w-]+=/.test(text)),
    kind: "changes-service",
    text: "it changes how the system works",
  },
  { programs: "defaults", sub: "write", kind: "changes-service", text: "it changes settings of programs" },
  { programs: "bcdedit", kind: "overwrite-system", text: "it changes how the machine starts" },
  { programs: "tmutil", sub: "delete|disable", kind: "delete-beyond-recovery", text: "it deletes backups" },
];

const DESTROYS_DISK = "it destroys what is on a disk";

/** `-n` makes only the programs of ext2 and its kin try; to others it is a label. */
function onlyTries(call: Call): boolean {
  return /(?:ext[234]|mke2fs)$/.test(call.words[0]?.text ?? "") && has(call, "-n");
}

const HARMLESS = /^(?:null|zero|full|stdout|stderr|tty|fd\b)/;

/** `dd of=/dev/sda`, `dc3dd wipe=/dev/sda`, `ddrescue image /dev/sda`. */
function writesDevice(call: Call): boolean {
  const targets =
    call.name === "ddrescue"
      ? call.given.operands.slice(1, 2).map(({ text }) => text)
      : call.words.map(({ text }) => /^(?:h?of|wipe|hwipe)=(.*)/s.exec(text)?.[1] ?? "");
  return targets.some((text) => text.startsWith("/dev/") && !HARMLESS.test(text.slice("/dev/".length)));
}

export const DISK_RULES: readonly (Rule | Judge)[] = [
  {
    programs: "mkfs mke2fs mkswap blkdiscard",
    without: ["--no-act", "--help", "--version"],
    when: (call) => call.given.operands.length > 0 && !onlyTries(call),
    kind: "overwrite-device",
    text: DESTROYS_DISK,
  },
  {
    programs: "wipefs",
    with: ["-a", "--all", "-o", "--offset"],
    without: ["-n", "--no-act", "--help"],
    kind: "overwrite-device",
    text: DESTROYS_DISK,
  },
  { programs: "badblocks", with: ["-w", "-n"], kind: "overwrite-device", text: DESTROYS_DISK },
  { programs: "cryptsetup", sub: "luksformat|erase|lukserase|reencrypt", kind: "overwrite-device", text: DESTROYS_DISK },
  { programs: "dd ddrescue", when: writesDevice, kind: "overwrite-device", text: "it writes over a device" },
  {
    programs: "dd",
    when: (call) => call.words.some(({ text }) => text.startsWith(`of=${UNKNOWN}`)),
    kind: "delete-outside-gently",
    text: "it writes over something that is known only when it runs",
  },
  {
    programs: "hdparm",
    with: ["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges", "--write-sector"],
    kind: "overwrite-device",
    text: DESTROYS_DISK,
  },
  { programs: "nvme", sub: "format|sanitize|delete-ns|write-zeroes", kind: "overwrite-device", text: DESTROYS_DISK },
  { programs: "dmsetup", sub: "remove|remove_all|wipe_table", kind: "overwrite-device", text: DESTROYS_DISK },
  { programs: "losetup", with: ["-D", "--detach-all"], kind: "stops-service", text: "it takes away disks in use" },
  {
    programs: "fdisk sfdisk gdisk sgdisk parted cfdisk",
    without: ["-l", "--list", "-p", "--print", "--help", "-d", "--dump"],
    when: ({ given }) =>
      given.operands.some(({ text }) => text.startsWith("/dev/")) && !given.operands.some(({ text }) => text === "print"),
    kind: "overwrite-device",
    text: "it changes how a disk is divided",
  },
  {
    programs: "diskutil",
    sub: "erase*|secureerase|partitiondisk|zerodisk|randomdisk|reformat",
    kind: "overwrite-device",
    text: DESTROYS_DISK,
  },
  { programs: "diskutil", sub: "apfs delete*|erase*", kind: "overwrite-device", text: DESTROYS_DISK },
  {
    programs: "lvremove vgremove pvremove zpool",
    when: (call) => call.name !== "zpool" || /^(?:destroy|labelclear)$/.test(operand(call, 0)),
    kind: "overwrite-device",
    text: DESTROYS_DISK,
  },
  { programs: "zfs", sub: "destroy|rollback", kind: "overwrite-device", text: DESTROYS_DISK },
  { programs: "btrfs", sub: "subvolume delete", kind: "delete-outside", text: "it deletes a subvolume" },
  { programs: "mdadm", with: ["--zero-superblock", "--stop", "-S"], kind: "overwrite-device", text: DESTROYS_DISK },
  { programs: "format", when: (call) => /^[a-z]:$/.test(operand(call, 0)), kind: "overwrite-device", text: DESTROYS_DISK },
];

const DELETES = "it deletes files";

function hasSwitch({ words }: Call, letters: string): boolean {
  return words.some(({ text }) => /^\/[a-z]$/i.test(text) && letters.includes(text.charAt(1).toLowerCase()));
}

function isForcedTree(call: Call): boolean {
  return hasSwitch(call, "sqfr") || call.words.some(({ text }) => /^-(?:rec\w*|fo\w*)$/i.test(text));
}

/** Programs of Windows; their words are read only roughly. */
export const WINDOWS_RULES: readonly (Rule | Judge)[] = [
  {
    programs: "del erase rd remove-item",
    when: ({ words }) => words.length > 1,
    kind: "delete-outside",
    text: DELETES,
  },
  // `ri` is also how Ruby shows its documentation.
  { programs: "ri", when: isForcedTree, kind: "delete-outside", text: "it deletes without asking" },
  { programs: "ri clear-content", when: (call) => !isForcedTree(call), kind: "delete-outside-gently", text: DELETES },
  {
    programs: "rmdir",
    when: ({ words }) => words.some(({ text }) => /^\/[sq]$/i.test(text)),
    kind: "delete-outside",
    text: "it deletes without asking",
  },
  { programs: "format", when: (call) => /^[a-z]:/.test(operand(call, 0)), kind: "overwrite-device", text: "it destroys what is on a disk" },
  {
    programs: "format-volume clear-disk initialize-disk remove-partition diskpart",
    kind: "overwrite-device",
    text: "it destroys what is on a disk",
  },
  { programs: "takeown icacls cacls", kind: "raises-rights", text: "it changes who may read and write" },
  { programs: "reg", sub: "add|import|restore|load|unload|copy", kind: "changes-service", text: "it changes settings of the system" },
  {
    programs: "net",
    sub: "user|localgroup|stop|share|use|accounts",
    kind: "changes-service",
    text: "it changes users or services of the machine",
  },
  { programs: "set-executionpolicy", kind: "opens-firewall", text: "it switches a protection of the system off" },
  { programs: "invoke-expression iex", kind: "runs-hidden-text", text: "it runs text as code" },
  {
    programs: "mshta rundll32 regsvr32 wscript cscript certutil bitsadmin msiexec wmic",
    without: ["--help"],
    kind: "loads-code",
    text: "it loads code or starts another program",
  },
  {
    programs: "start explorer start-process invoke-item msedge chrome firefox iexplore",
    when: (call) => call.words.some(({ text }) => /^https?:/i.test(text)) || has(call, "-verb"),
    kind: "runs-helper",
    text: "it opens an address or starts another program",
  },
  { programs: "stop-service remove-service set-service", kind: "stops-service", text: "it stops a service" },
  { programs: "mklink", kind: "overwrite-outside", text: "it makes a link" },
];
