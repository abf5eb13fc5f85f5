/** What awk and sed do beside starting commands, which reading follows. */
import type { ShellWord } from "../../types.ts";
import { awkCodes, readAwk, readSed } from "../../wrappers/foreign/awk-and-sed.ts";
import type { Call, Report } from "../call/call.ts";
import { placeOfText } from "../call/place.ts";
import type { Judge } from "../rule.ts";

const AWK_WRITES = /\bprintf?\b[^;{}\n|]*>>?\s*"(\/[^"]*)"/g;

function judgeAwk(call: Call, report: Report): void {
  const { stdin, span } = call.command;
  for (const { text, at } of awkCodes(call.words, stdin, span)) {
    for (const problem of readAwk(text).unknown) report("inline-unknown-command", `its code ${problem}`, at);
    judgeAwkWrites(text, at, call, report);
  }
}

function judgeAwkWrites(text: string, at: Pick<ShellWord, "span">, call: Call, report: Report): void {
  for (const [, path = ""] of text.matchAll(AWK_WRITES)) {
    const { kind } = placeOfText(path, call);
    if (kind === "device") report("overwrite-device", "its code writes over a device", at);
    else if (kind === "system") report("overwrite-system", "its code writes to a folder of the system", at);
  }
}

function judgeSed(call: Call, report: Report): void {
  for (const word of call.words.slice(1))
    if (readSed(word.text).isMore) report("runs-helper", "its script writes a file or runs a command", word);
}

export const TEXT_LANGUAGE_RULES: readonly Judge[] = [
  { programs: "awk", judge: judgeAwk },
  { programs: "sed gsed", judge: judgeSed },
];
