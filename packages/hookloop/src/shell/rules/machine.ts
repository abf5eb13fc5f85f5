import { type Call, has, operand, type Report } from "./call.ts";
import { hasWord, type Judge, type Rule, rules } from "./rule.ts";

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
  { programs: "kill", judge: judgeKill },
  { programs: "pkill killall killall5 skill", judge: judgeKillByName },
  { programs: "systemctl", judge: judgeSystemctl },
  ...rules("kills-broadly", "it ends every process", "killall5:"),
  ...rules("changes-service", "it switches the network off", "nmcli: networking|radio off", "ifconfig: * down"),
  ...rules(
    "changes-service",
    "it changes the network of the machine",
    "route: flush|del|delete",
    "ip: link|route|addr|address delete|del|flush|set",
  ),
  ...rules(
    "stops-machine",
    "it stops or restarts the machine",
    "shutdown reboot halt poweroff telinit: !--help !-c !--show",
    "init: 0|1|5|6|s",
    "stop-computer restart-computer:",
  ),
  ...rules("kills-process", "it ends a process", "taskkill stop-process:"),
  ...rules(
    "stops-service",
    "it stops a service",
    "service rc-service: * stop",
    "rc-service: * del|delete",
    "rc-update: stop|del|delete",
    "launchctl: bootout|remove|unload|disable|kill|stop",
  ),
  ...rules("stops-system-service", "it stops a service the machine needs", [
    "launchctl: bootout|remove|unload|disable|kill|stop|reboot",
    (call) =>
      /^system/.test(operand(call, 1)) || /com\.apple\.|^\/(?:system|library)\//.test(operand(call, 1)) || operand(call, 0) === "reboot",
  ]),
  ...rules(
    "schedules-work",
    "it makes something run by itself from now on",
    "launchctl: load|bootstrap|enable|submit",
    "crontab: !-l !-r !--help",
  ),
  ...rules("stops-service", "it stops or removes a service", "sc: stop|delete|config"),
  ...rules("delete-outside", "it deletes every scheduled job", "crontab: -r"),
  ...rules("schedules-work", "it makes something run later, by itself", [
    "at batch schtasks: !-l !--help",
    (call) => call.name !== "schtasks" || /\/(?:create|delete|change)/i.test(call.scene.text),
  ]),
  ...rules(
    "opens-firewall",
    "it removes the rules of the firewall",
    "iptables ip6tables: -F --flush -X --delete-chain",
    "nft: flush|delete",
  ),
  ...rules("opens-firewall", "it opens the firewall", ["iptables ip6tables: -P --policy", hasWord(/\baccept\b/i)]),
  ...rules(
    "changes-service",
    "it changes the firewall",
    "iptables ip6tables: -A -I -D --append --insert --delete",
    "ufw: allow|delete|default",
    ["firewall-cmd:", ({ given }) => given.options.some(({ name }) => /^--(?:remove|add|panic|set)/.test(name))],
  ),
  ...rules("opens-firewall", "it switches the firewall off", "ufw: disable|reset", "pfctl: -d -F"),
  ...rules("opens-firewall", "it changes the firewall", "netsh: advfirewall|firewall"),
  ...rules("hides-traces", "it deletes the history of commands", "history: -c -w"),
  ...rules(
    "hides-traces",
    "it deletes logs",
    ["journalctl:", ({ given }) => given.options.some(({ name }) => name.startsWith("--vacuum") || name === "--rotate")],
    "dmesg: -C --clear -c",
  ),
  ...rules("hides-traces", "it switches the recording of the system off", "auditctl: -D -e"),
  ...rules(
    "changes-service",
    "it changes how the system works",
    "sysctl: -w --write -p",
    ["sysctl:", (call) => operand(call, 0).includes("=")],
    [
      "nvram tccutil systemsetup networksetup scutil pmset kextunload profiles chflags softwareupdate:",
      hasWord(/^-?-?(?:set|reset|remove|delete|d|c|u|nouchg|schg|ignore|clear)|^[\w-]+=/),
    ],
  ),
  ...rules("changes-service", "it changes the kernel", "modprobe rmmod insmod:"),
  ...rules("stops-service", "it takes away a disk in use", "umount: -a --all -f -l"),
  ...rules("changes-service", "it changes how a disk is used", ["mount: -o --bind", hasWord(/remount/)]),
  ...rules("stops-service", "it takes memory away from the machine", "swapoff: -a"),
  ...rules(
    "removes-packages",
    "it removes software of the machine",
    "apt apt-get yum dnf zypper pacman brew apk snap: remove|purge|autoremove|erase|uninstall|del !--dry-run !-s !--simulate !--help",
    ["pacman:", hasWord(/^-R/)],
    "dpkg rpm: -r --remove -P --purge -e --erase",
  ),
  ...rules("delete-outside", "it deletes settings of the system", "reg: delete"),
  ...rules("delete-outside-gently", "it deletes settings", "defaults: delete"),
  ...rules("delete-beyond-recovery", "it deletes backups", "vssadmin wbadmin: delete", "tmutil: delete|disable"),
  ...rules("changes-service", "it changes settings of programs", "defaults: write"),
  ...rules("overwrite-system", "it changes how the machine starts", "bcdedit:"),
];

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
  ...rules(
    "overwrite-device",
    "it destroys what is on a disk",
    ["mkfs mke2fs mkswap blkdiscard: !--no-act !--help !--version", (call) => call.given.operands.length > 0 && !onlyTries(call)],
    "wipefs: -a --all -o --offset !-n !--no-act !--help",
    "badblocks: -w -n",
    "cryptsetup: luksformat|erase|lukserase|reencrypt",
    "hdparm: --security-erase --security-erase-enhanced --trim-sector-ranges --write-sector",
    "nvme: format|sanitize|delete-ns|write-zeroes",
    "dmsetup: remove|remove_all|wipe_table",
    "diskutil: erase*|secureerase|partitiondisk|zerodisk|randomdisk|reformat",
    "diskutil: apfs delete*|erase*",
    "lvremove vgremove pvremove:",
    "zpool: destroy|labelclear",
    "zfs: destroy|rollback",
    "mdadm: --zero-superblock --stop -S",
    ["format:", (call) => /^[a-z]:$/.test(operand(call, 0))],
  ),
  ...rules("overwrite-device", "it writes over a device", ["dd ddrescue:", writesDevice]),
  ...rules("delete-outside-gently", "it writes over something that is known only when it runs", ["dd:", hasWord(/^of=\uFFFF/)]),
  ...rules("stops-service", "it takes away disks in use", "losetup: -D --detach-all"),
  ...rules("overwrite-device", "it changes how a disk is divided", [
    "fdisk sfdisk gdisk sgdisk parted cfdisk: !-l !--list !-p !--print !--help !-d !--dump",
    ({ given }) => given.operands.some(({ text }) => text.startsWith("/dev/")) && !given.operands.some(({ text }) => text === "print"),
  ]),
  ...rules("delete-outside", "it deletes a subvolume", "btrfs: subvolume delete"),
];

function hasSwitch({ words }: Call, letters: string): boolean {
  return words.some(({ text }) => /^\/[a-z]$/i.test(text) && letters.includes(text.charAt(1).toLowerCase()));
}

function isForcedTree(call: Call): boolean {
  return hasSwitch(call, "sqfr") || call.words.some(({ text }) => /^-(?:rec\w*|fo\w*)$/i.test(text));
}

/** Programs of Windows; their words are read only roughly. */
export const WINDOWS_RULES: readonly (Rule | Judge)[] = [
  ...rules("delete-outside", "it deletes files", ["del erase rd remove-item:", ({ words }) => words.length > 1]),
  ...rules("delete-outside", "it deletes without asking", ["ri:", isForcedTree], ["rmdir:", hasWord(/^\/[sq]$/i)]),
  ...rules("delete-outside-gently", "it deletes files", ["ri clear-content:", (call) => !isForcedTree(call)]),
  ...rules(
    "overwrite-device",
    "it destroys what is on a disk",
    ["format:", (call) => /^[a-z]:/.test(operand(call, 0))],
    "format-volume clear-disk initialize-disk remove-partition diskpart:",
  ),
  ...rules("raises-rights", "it changes who may read and write", "takeown icacls cacls:"),
  ...rules("changes-service", "it changes settings of the system", "reg: add|import|restore|load|unload|copy"),
  ...rules("changes-service", "it changes users or services of the machine", "net: user|localgroup|stop|share|use|accounts"),
  ...rules("opens-firewall", "it switches a protection of the system off", "set-executionpolicy:"),
  ...rules("runs-hidden-text", "it runs text as code", "invoke-expression iex:"),
  ...rules(
    "loads-code",
    "it loads code or starts another program",
    "mshta rundll32 regsvr32 wscript cscript certutil bitsadmin msiexec wmic: !--help",
  ),
  ...rules("runs-helper", "it opens an address or starts another program", [
    "start explorer start-process invoke-item msedge chrome firefox iexplore:",
    (call) => call.words.some(({ text }) => /^https?:/i.test(text)) || has(call, "-verb"),
  ]),
  ...rules("stops-service", "it stops a service", "stop-service remove-service set-service:"),
  ...rules("overwrite-outside", "it makes a link", "mklink:"),
];
