/** Code of other languages in a command line or on an interpreter's input: does it delete, and which commands does it start? */
import type { ShellWord } from "../../types.ts";
import type { Call, Report } from "../call/call.ts";
import { unescapeLiteral } from "../call/escapes.ts";
import { isRebuilt, placeOfText } from "../call/place.ts";
import type { Judge, Rule } from "../rule.ts";
import { looksDangerous } from "../tripwire.ts";

const LITERAL = /(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/.source;
const LITERALS = new RegExp(LITERAL, "gs");
/** A call that starts a program, with its literal words: `system("…")`, `run(["rm", "-rf"])`. */
const STARTS = new RegExp(
  String.raw`(?<![\w])(?:system|popen\w*|Popen|exec(?:Sync|File|FileSync|v|vp|l|lp)?|spawn(?:Sync)?|check_call|check_output|getoutput|getstatusoutput|shell_exec|passthru|proc_open|open3|capture\w*|execute|cmd|run|call|do shell script)\s*(?:\(\s*)?(?:\[\s*)?[rbfu]?(${LITERAL}(?:\s*,\s*(?:\[\s*)?${LITERAL})*)\s*([+.%\w]?)`,
  "gs",
);
const STARTS_UNKNOWN =
  /(?<![\w.])(?:os\.system|os\.popen|subprocess\.\w+|pty\.spawn|shell_exec|passthru|(?:exec|spawn)(?:File)?(?:Sync)?|system|popen)\s*\(\s*(?![\s"'`[)])[^)]/;
const QUOTED_COMMAND = /(?:%[xw]|q[xw])\s*(?:\(([^)]*)\)|\{([^}]*)\}|\[([^\]]*)\]|<([^>]*)>|([/|!#~'"])((?:\\.|(?!\5)[^\\\n])*)\5)/g;
/** `open(F, "-|", "rm", "-rf")`. */
const OPENS_LIST = new RegExp(String.raw`\bopen\s{0,9}\(?[^;]{0,300}?["'](?:-\||\|-)["']\s*,\s*(${LITERAL}(?:\s*,\s*${LITERAL})*)`, "g");
/** Words of a call that starts something, in any language. */
const CAN_CALL =
  /\b(?:system|popen|spawn\w*|exec\w*|subprocess|run|call|check_\w+|getoutput|cmd|command|execute|process|shell[-\w]*|sh|do shell script)\b|\.!/i;
/** Literals that follow each other, as in a list of words. */
const SEQUENCE = new RegExp(String.raw`${LITERAL}(?:[\s,[\](){}:=\w]{0,12}${LITERAL})*`, "gs");
const OPENS_PIPE =
  /\bopen\s{0,9}\(?[^;]{0,300}?["']\s{0,9}\|\s{0,9}([^"'|]{1,2000})["']|\bopen\s{0,9}\(?[^;]{0,300}?["']([^"'|]{1,2000})\|\s{0,9}["']/g;
const CAN_START = /\b(?:os|subprocess|child_process|system|exec\w*|spawn\w*|popen|pty|commands|Kernel|Open3|IO|shell_exec|passthru|eval)\b/;
const BACKTICKS = /`([^`]+)`/g;
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

/** Options whose value is code. */
const CODE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  python: ["-c"],
  node: ["-e", "--eval", "-p", "--print"],
  deno: ["--eval"],
  npm: ["-e", "--eval"],
  perl: ["-e", "-E"],
  ruby: ["-e"],
  php: ["-r", "-B", "-R", "-E"],
  lua: ["-e"],
  osascript: ["-e"],
  rscript: ["-e"],
  julia: ["-e", "-E"],
  elixir: ["-e"],
  groovy: ["-e"],
  r: ["-e"],
  swift: ["-e"],
  scala: ["-e"],
  ghc: ["-e"],
  clojure: ["-e", "--eval"],
  clj: ["-e", "--eval"],
  bb: ["-e"],
  racket: ["-e", "--eval"],
  guile: ["-c"],
  sbcl: ["--eval"],
  emacs: ["--eval", "-eval", "--execute"],
  erl: ["-eval"],
  ocaml: ["-e"],
  kotlin: ["-e"],
  crystal: ["eval"],
  tclsh: [],
  expect: ["-c"],
  raku: ["-e"],
};

interface Code {
  readonly text: string;
  readonly at: { readonly span: ShellWord["span"] };
}

function codesOf(call: Call): readonly Code[] {
  const names = CODE_OPTIONS[call.name] ?? [];
  const inline = call.given.options
    .filter(({ name, value }) => names.includes(name) && value)
    .map(({ value, word }) => ({ text: value ?? "", at: word }));
  // `node -pe code`: one of the letters takes the code.
  const letters = call.name === "node" ? call.words.findIndex(({ text }) => /^-[ep]{2}$/.test(text)) : -1;
  const joined = letters === -1 ? [] : call.words.slice(letters + 1, letters + 2).map((word) => ({ text: word.text, at: word }));
  const evaluated =
    call.name === "deno" && call.given.operands[0]?.text === "eval"
      ? call.given.operands.slice(1).map((word) => ({ text: word.text, at: word }))
      : [];
  const { stdin } = call.command;
  const isProgram = call.given.operands.every(({ text }) => text === "-");
  const input = stdin?.kind === "text" && inline.length === 0 && isProgram ? [{ text: stdin.text, at: call.command }] : [];
  return [...inline, ...joined, ...evaluated, ...input];
}

function judgeInline(call: Call, report: Report): void {
  for (const code of codesOf(call)) {
    judgeStarted(code, call, report);
    judgeDeletion(code, call, report);
    judgeShellText(code, call);
    if (HIDDEN.test(code.text)) report("runs-hidden-text", "its code runs text that was hidden by an encoding", code.at);
    if (SOCKET_SHELL.test(code.text)) report("reverse-shell", "its code connects a shell to the network", code.at);
    else if (SECRET.test(code.text)) report(SENDS.test(code.text) ? "sends-secret" : "reads-secret", "its code reads secrets", code.at);
  }
}

/** `exec("import os; …")`, `eval('…')`: code in code. */
const EVALUATES = new RegExp(String.raw`\b(?:exec|eval)\s*\(\s*(${LITERAL})`, "gs");

function judgeStarted({ text, at }: Code, call: Call, report: Report): void {
  for (const [, literal = ""] of text.matchAll(EVALUATES)) {
    const code = { text: literalsIn(literal)[0] ?? "", at };
    judgeLiterals(code, call);
    judgeDeletion(code, call, report);
  }
  for (const [, words = "", joined = ""] of text.matchAll(STARTS)) {
    call.scene.judgeText(literalsIn(words).join(" "), at.span);
    if (/^[+.%]$/.test(joined)) report("runs-helper", "its code starts a program that is known only when it runs", at);
  }
  for (const [, words = ""] of text.matchAll(OPENS_LIST)) call.scene.judgeText(literalsIn(words).join(" "), at.span);
  judgeLiterals({ text, at }, call);
  for (const [, to = "", from = ""] of text.matchAll(OPENS_PIPE)) call.scene.judgeText(to || from, at.span);
  if (CAN_START.test(text) && looksDangerous(text)) report("runs-helper", "its code names a dangerous command and can start it", at);
  else if (STARTS_UNKNOWN.test(text)) report("runs-helper", "its code starts a program that is known only when it runs", at);
  if (call.name !== "perl" && call.name !== "ruby" && call.name !== "php") return;
  for (const [, ...groups] of [...text.matchAll(QUOTED_COMMAND), ...text.matchAll(BACKTICKS)])
    call.scene.judgeText(groups.findLast((group) => group !== undefined) ?? "", at.span);
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

function literalsIn(text: string): readonly string[] {
  return [...text.matchAll(LITERALS)].map(([literal]) => unescapeLiteral(literal.slice(1, -1)));
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
