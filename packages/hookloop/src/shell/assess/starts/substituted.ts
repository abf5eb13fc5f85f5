import type { ShellWord } from "../../types.ts";
import type { Call, Report } from "../call/call.ts";

const DECODER_TEXT =
  /(?:^|[\s(`|;&])(?:base64\s+(?:-d|-D|--decode)|base32\s+(?:-d|--decode)|xxd\s+(?:-\w+\s+)*-\w*r|openssl\s+(?:enc|base64)\s[^|]*-d|uudecode|gpg\s[^|]*(?:-d|--decrypt))\b/;
const PRINTS =
  /^(?:[$<]\(|`)\s*(?:echo(?:\s+-[neE]+)?|printf(?:\s+(['"])%s(?:\\n)?\1)?|cat\s+<<-?\s*(['"]?)\w+\2\n)\s*(?!\s)([\s\S]*)[)`]$/;

/** `eval "$(echo …)"`, `bash <(base64 -d x)`: what a substitution prints becomes code. */
export function judgeSubstituted(word: ShellWord, call: Call, report: Report): void {
  for (const part of word.parts) {
    if (part.kind !== "computed") continue;
    if (DECODER_TEXT.test(` ${part.source.replace(/^[$<>]?[(`]/, " ")}`))
      report("runs-hidden-text", "it runs text that was hidden by an encoding", word);
    const printed = PRINTS.exec(part.source)?.[3]?.trimEnd();
    if (printed) call.scene.judgeText(printed.replace(/^(['"])([\s\S]*)\1$/, "$2"), word.span);
  }
}
