import type { Call } from "../call/call.ts";
import { has, operand } from "../call/call.ts";
import type { Judge, Rule } from "../rule.ts";

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
