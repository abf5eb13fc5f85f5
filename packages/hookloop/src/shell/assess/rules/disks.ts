import { UNKNOWN } from "../../types.ts";
import { type Call, has, operand } from "../call/call.ts";
import type { Judge, Rule } from "../rule.ts";

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
