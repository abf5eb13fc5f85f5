/** Code of other languages in a command line or on an interpreter's input: does it delete, and which commands does it start? */
import { evaluatedIn, LITERAL, LITERALS, literalsIn, startsJoinedText } from "../../wrappers/foreign/code-texts.ts";
import { CODE_OPTIONS, type Code, codesIn } from "../../wrappers/foreign/inline-code.ts";
import type { Call, Report } from "../call/call.ts";
import { isRebuilt, placeOfText } from "../call/place.ts";
import type { Judge, Rule } from "../rule.ts";
import { looksDangerous } from "../tripwire.ts";

const STARTS_UNKNOWN =
  /(?<![\w.])(?:os\.system|os\.popen|subprocess\.\w+|pty\.spawn|shell_exec|passthru|(?:exec|spawn)(?:File)?(?:Sync)?|system|popen)\s*\(\s*(?![\s"'`[)])[^)]/;
/** Words of a call that starts something, in any language. */
const CAN_CALL =
  /\b(?:system|popen|spawn\w*|exec\w*|subprocess|run|call|check_\w+|getoutput|cmd|command|execute|process|shell[-\w]*|sh|do shell script)\b|\.!/i;
/** Literals that follow each other, as in a list of words. */
const SEQUENCE = new RegExp(String.raw`${LITERAL}(?:[\s,[\](){}:=\w]{0,12}${LITERAL})*`, "gs");
const CAN_START = /\b(?:os|subprocess|child_process|system|exec\w*|spawn\w*|popen|pty|commands|Kernel|Open3|IO|shell_exec|passthru|eval)\b/;
const DELETES =
  /\.(?:unlink|rmdir)\s*\(|\b(?:os\.(?:remove|unlink|rmdir|removedirs)|shutil\.(?:rmtree|move)|rmtree|unlinkSync|(?:remove|emptyDir)Sync|File\.rm(?:_rf)?!?|delete-(?:directory|file)|unlink\s+(?:for|foreach|<)|rmSync|rmdirSync|fs\.(?:promises\.)?(?:rm|unlink|rmdir)\b|rimraf|(?:fs|promises)\)?\.rm\b|File\.(?:delete|unlink)|FileUtils\.(?:rm|remove)\w*|Dir\.(?:rmdir|delete|unlink)|remove_tree|Deno\.remove(?:Sync)?|os\.RemoveAll|os\.Remove)|(?<![\w.$>])(?:unlink|rmdir)\s*\(?\s*(?:["'$@<]|glob)/;
const DELETES_TREE =
  /\b(?:rmtree|removedirs|delete-directory|removeSync|emptyDirSync|rimraf|rm_rf|rm_r|remove_dir|remove_entry\w*|remove_tree|RemoveAll)\b|recursive["']?\s*(?::|=>)\s*true/;
const WRITES =
  /\bopen\s*\([^)]*,\s*["'][wax+b]+["']|write_text|write_bytes|writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|file_put_contents|File\.(?:write|open)|truncate\w*/;
const HIDDEN =
  /\b(?:exec|eval|system|Function)\b[\s\S]*\b(?:b64decode|base64|fromhex|unhexlify|decompress|atob|decode64|unpack|chr\s*\(|fromCharCode)\b/;
const SENDS = /\b(?:urlopen|requests\.|http\.client|fetch\s*\(|axios|Net::HTTP|LWP::|socket\.)/;
const SECRET = /\.ssh\/id_|\.aws\/credentials|\.gnupg|\.netrc|\/etc\/shadow|(?:os|process)\.env(?:iron)?\s*[,)]/;
const SOCKET_SHELL =
  /\bsocket\b[\s\S]*\b(?:dup2|pty\.spawn|\/bin\/(?:ba)?sh)|TCPSocket[\s\S]*exec|net\.(?:connect|Socket)[\s\S]*\/bin\/(?:ba)?sh|fsockopen[\s\S]*exec/;

function judgeInline(call: Call, report: Report): void {
  for (const code of codesIn(call.words, call.command.stdin, call.command.span)) {
    judgeStarted(code, call, report);
    judgeDeletion(code, call, report);
    judgeShellText(code, call);
    if (HIDDEN.test(code.text)) report("runs-hidden-text", "its code runs text that was hidden by an encoding", code.at);
    if (SOCKET_SHELL.test(code.text)) report("reverse-shell", "its code connects a shell to the network", code.at);
    else if (SECRET.test(code.text)) report(SENDS.test(code.text) ? "sends-secret" : "reads-secret", "its code reads secrets", code.at);
  }
}

/** Reading has followed the commands that the code starts; here is what it could not. */
function judgeStarted({ text, at }: Code, call: Call, report: Report): void {
  for (const code of evaluatedIn(text)) {
    judgeLiterals({ text: code, at }, call);
    judgeDeletion({ text: code, at }, call, report);
  }
  if (startsJoinedText(text)) report("runs-helper", "its code starts a program that is known only when it runs", at);
  judgeLiterals({ text, at }, call);
  if (CAN_START.test(text) && looksDangerous(text)) report("runs-helper", "its code names a dangerous command and can start it", at);
  else if (STARTS_UNKNOWN.test(text)) report("runs-helper", "its code starts a program that is known only when it runs", at);
}

const COMMENT = /(?<=^|\s)(?:#|\/\/\s)[^\n]*/g;

/** `node -e "rm -rf /"`: no code of that language. A mistake, or written for a program of the same name that runs it. */
function judgeShellText({ text, at }: Code, call: Call): void {
  const bare = text.replace(LITERALS, " ").replace(COMMENT, " ");
  if (looksDangerous(bare)) call.scene.judgeText(bare, at.span);
}

/** `c = "rm -rf /"; system(c)`: dangerous text beside a call that starts something is taken for what it starts. */
function judgeLiterals({ text, at }: Code, call: Call): void {
  if (!CAN_CALL.test(text.replace(LITERALS, " "))) return;
  for (const [sequence] of text.matchAll(SEQUENCE)) {
    const joined = literalsIn(sequence).join(" ").trim();
    if (looksDangerous(joined)) call.scene.judgeText(joined, at.span);
  }
}

/** A home that code asks for. */
const HOME =
  /\b(?:environ(?:\.get)?[[(]\s*["']HOME|Path\.home\s*\(|homedir\s*\(|process\.env\.HOME|ENV\[?\{?\(?["']?HOME|Dir\.home|getenv\s*\(\s*["']HOME)/;
const BAD_PLACES = new Set(["vital", "system", "device", "workspace-root"]);

function judgeDeletion({ text, at }: Code, call: Call, report: Report): void {
  const deletes = DELETES.test(text);
  if (!deletes && !WRITES.test(text)) return;
  const places = literalsIn(text)
    .filter((literal) => /^[~/.]|\//.test(literal) && !/\s/.test(literal))
    .map((literal) => placeOfText(literal, call).kind);
  if (places.some((kind) => BAD_PLACES.has(kind)) || (deletes && DELETES_TREE.test(text) && HOME.test(text)))
    report(
      deletes ? "inline-delete-tree" : "overwrite-system",
      `its code ${deletes ? "deletes" : "writes"} what the machine or its user needs`,
      at,
    );
  else if (!deletes) return;
  else if (places.length > 0 && places.every((kind) => kind === "temporary"))
    report("delete-temporary", "its code deletes temporary files", at);
  else if (DELETES_TREE.test(text) && !literalsIn(text).some(isRebuilt))
    report("inline-delete-tree", "its code deletes a folder with all that is in it", at);
  else report("inline-delete", "its code deletes files", at);
}

export const INLINE_RULES: readonly (Rule | Judge)[] = [{ programs: Object.keys(CODE_OPTIONS).join(" "), judge: judgeInline }];
