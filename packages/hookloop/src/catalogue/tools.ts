import type { ToolName } from "@hookloop/sdk";
import { any, choice, type Field, type Fields, flag, known, list, nullable, number, optional, shape, text } from "./field.ts";

/** As in `x_kind` of a payload. */
export type ToolKind = "shell" | "file.read" | "file.write" | "web" | "agent";

/** What is known about a tool that agents of the Claude dialect offer. */
interface ToolRow {
  /** What it works on, whatever an agent calls it; absent: something else. */
  readonly kind?: ToolKind;
  readonly input: Fields;
  /** A true input. */
  readonly sample: Readonly<Record<string, unknown>>;
  /** The shape of `tool_response` with a true one; absent where it was never measured. */
  readonly response?: Fields;
  /** What `Tool(spec)` in a permission rule is compared with; absent: such a rule means nothing for this tool. */
  readonly rule?: ToolRule;
  readonly responseSample?: Readonly<Record<string, unknown>>;
}

/** The input field a permission rule looks at, and how it reads it. */
export interface ToolRule {
  readonly kind: "command" | "path" | "domain" | "name";
  readonly field: string;
}

const COMMAND_RULE: ToolRule = { kind: "command", field: "command" };
const FILE_RULE: ToolRule = { kind: "path", field: "file_path" };
const FOLDER_RULE: ToolRule = { kind: "path", field: "path" };

const FILE_PATH: Field = text("Absolute path of the file.");
const PATCH: Field = list(any("One hunk."), "The change, hunk by hunk.");
const REPLACE_ALL: Field = optional(flag("Replace every occurrence, not only one."));

export const TOOLS: Readonly<Record<ToolName, ToolRow>> = {
  Bash: {
    kind: "shell",
    rule: COMMAND_RULE,
    sample: { command: "npm test", description: "Run the tests" },
    responseSample: { stdout: "12 passing", stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
    input: {
      command: text("The shell command."),
      description: optional(text("What it does, in a few words of the model.")),
      timeout: optional(number("Limit in milliseconds.")),
      run_in_background: optional(flag("Do not wait for it.")),
    },
    response: {
      stdout: text("What it printed, both streams in the order of writing, without empty lines before and blanks after it."),
      stderr: text("What the tool itself has to say of it; nothing of the command's."),
      interrupted: flag("It was interrupted."),
      isImage: optional(flag("stdout is an image.")),
      noOutputExpected: optional(flag("The command is one that prints nothing.")),
      returnCodeInterpretation: optional(text("What an exit code other than 0 means that is no failure.")),
      backgroundTaskId: optional(text("It runs in the background.")),
    },
  },
  Read: {
    kind: "file.read",
    rule: FILE_RULE,
    sample: { file_path: "/home/user/project/src/parser.ts" },
    input: {
      file_path: FILE_PATH,
      offset: optional(number("First line to read.")),
      limit: optional(number("How many lines to read.")),
      pages: optional(text("Page range of a PDF.")),
    },
    response: {
      type: known(["text"], "What kind of file it is; the fields are those of a text."),
      file: shape(
        {
          filePath: text("The file."),
          content: text("The lines that were read."),
          numLines: number("How many lines were read; a new line at the end begins another one."),
          startLine: number("The first of them."),
          totalLines: number("How many lines the file has."),
        },
        "What was read.",
      ),
    },
    responseSample: {
      type: "text",
      file: { filePath: "/home/user/project/src/parser.ts", content: "let depth = 0;\n", numLines: 2, startLine: 1, totalLines: 2 },
    },
  },
  Write: {
    kind: "file.write",
    rule: FILE_RULE,
    sample: { file_path: "/home/user/project/notes.md", content: "# Notes\n" },
    responseSample: {
      type: "create",
      filePath: "/home/user/project/notes.md",
      content: "# Notes\n",
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    },
    input: { file_path: FILE_PATH, content: text("The whole new content.") },
    response: {
      type: choice(["create", "update"], "Whether there was a file before."),
      filePath: text("The file."),
      content: text("What was written."),
      structuredPatch: PATCH,
      originalFile: nullable(text("The content before, or null.")),
      userModified: optional(flag("The user changed the content before it was written.")),
    },
  },
  Edit: {
    kind: "file.write",
    rule: FILE_RULE,
    sample: { file_path: "/home/user/project/src/parser.ts", old_string: "let depth", new_string: "const depth", replace_all: false },
    input: {
      file_path: FILE_PATH,
      old_string: text("The text to replace."),
      new_string: text("What replaces it."),
      replace_all: REPLACE_ALL,
    },
    response: {
      filePath: text("The file."),
      oldString: text("The text that was replaced."),
      newString: text("What replaced it."),
      originalFile: nullable(text("The content before.")),
      structuredPatch: PATCH,
      userModified: flag("The user changed the edit before it was made."),
      replaceAll: flag("Every occurrence was replaced."),
    },
    responseSample: {
      filePath: "/home/user/project/src/parser.ts",
      oldString: "let depth",
      newString: "const depth",
      originalFile: "let depth = 0;\n",
      structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-let depth = 0;", "+const depth = 0;"] }],
      userModified: false,
      replaceAll: false,
    },
  },
  MultiEdit: {
    kind: "file.write",
    rule: FILE_RULE,
    sample: { file_path: "/home/user/project/src/parser.ts", edits: [{ old_string: "let depth", new_string: "const depth" }] },
    input: {
      file_path: FILE_PATH,
      edits: list(
        shape({ old_string: text("The text to replace."), new_string: text("What replaces it."), replace_all: REPLACE_ALL }, "One edit."),
        "The edits, in order.",
      ),
    },
  },
  NotebookEdit: {
    kind: "file.write",
    rule: { kind: "path", field: "notebook_path" },
    sample: { notebook_path: "/home/user/project/report.ipynb", new_source: "print(1)", cell_id: "a1", edit_mode: "replace" },
    input: {
      notebook_path: text("Absolute path of the notebook."),
      new_source: text("New source of the cell."),
      cell_id: optional(text("The cell.")),
      cell_type: optional(choice(["code", "markdown"], "Type of the cell.")),
      edit_mode: optional(choice(["replace", "insert", "delete"], "What to do with the cell.")),
    },
  },
  Glob: {
    kind: "file.read",
    rule: FOLDER_RULE,
    input: { pattern: text("The glob."), path: optional(text("Folder to search in.")) },
    sample: { pattern: "src/**/*.ts" },
    response: {
      filenames: list(text("A file."), "The files."),
      durationMs: number("How long it took."),
      numFiles: number("How many there are."),
      truncated: flag("There are more."),
    },
    responseSample: { filenames: ["/home/user/project/src/parser.ts"], durationMs: 12, numFiles: 1, truncated: false },
  },
  Grep: {
    kind: "file.read",
    rule: FOLDER_RULE,
    sample: { pattern: "TODO", path: "src", output_mode: "content" },
    input: {
      pattern: text("The regular expression."),
      path: optional(text("File or folder to search in.")),
      glob: optional(text("Only files that match.")),
      type: optional(text("Only files of this type.")),
      output_mode: optional(choice(["content", "files_with_matches", "count"], "What to give back.")),
      multiline: optional(flag("Let the pattern span lines.")),
      head_limit: optional(number("Only the first results.")),
    },
    response: {
      filenames: list(text("A file."), "The files with matches."),
      numFiles: number("How many there are."),
      mode: optional(text("What was asked for: `content`, `files_with_matches` or `count`.")),
      content: optional(text("The lines, or the counts.")),
    },
    responseSample: { mode: "content", numFiles: 1, filenames: ["/home/user/project/src/parser.ts"], content: "src/parser.ts:1:// TODO" },
  },
  WebFetch: {
    kind: "web",
    rule: { kind: "domain", field: "url" },
    input: { url: text("The address."), prompt: text("What to find on the page.") },
    sample: { url: "https://example.com/changelog", prompt: "What changed in the last release?" },
  },
  WebSearch: {
    kind: "web",
    sample: { query: "node child_process detached" },
    input: {
      query: text("What to search for."),
      allowed_domains: optional(list(text("A domain."), "Only these domains.")),
      blocked_domains: optional(list(text("A domain."), "Never these domains.")),
    },
  },
  TodoWrite: {
    sample: { todos: [{ content: "Fix the parser", status: "in_progress", activeForm: "Fixing the parser" }] },
    input: {
      todos: list(
        shape(
          {
            content: text("What to do."),
            status: choice(["pending", "in_progress", "completed"], "How far it is."),
            activeForm: text("The same, as work in progress."),
          },
          "One item.",
        ),
        "The whole list.",
      ),
    },
  },
  Agent: {
    kind: "agent",
    rule: { kind: "name", field: "subagent_type" },
    sample: { description: "Find callers", prompt: "Find every caller of parse()", subagent_type: "general-purpose" },
    input: {
      description: text("The task in a few words."),
      prompt: text("The task."),
      subagent_type: optional(text("Type of the subagent.")),
      model: optional(text("Model of the subagent.")),
      run_in_background: optional(flag("Do not wait for it.")),
    },
  },
  Skill: {
    rule: { kind: "name", field: "skill" },
    input: { skill: text("Name of the skill."), args: optional(text("Its arguments.")) },
    sample: { skill: "release-notes", args: "1.4.0" },
  },
  ExitPlanMode: {
    input: { plan: optional(text("The plan, as Markdown.")) },
    sample: { plan: "1. Write the failing test\n2. Fix the parser" },
  },
  AskUserQuestion: {
    input: { questions: any("The questions with their options.") },
    sample: { questions: [{ question: "Which parser?", header: "Parser", options: [{ label: "old", description: "Keep it" }] }] },
  },
  TaskCreate: {
    sample: { subject: "Write the parser's tests", description: "Cover empty and nested input" },
    input: {
      subject: text("The task in one line."),
      description: text("The task."),
      activeForm: optional(text("The same, as work in progress.")),
    },
  },
  TaskUpdate: {
    sample: { taskId: "3", status: "completed" },
    input: {
      taskId: text("The task."),
      status: optional(text("How far it is.")),
      subject: optional(text("New subject.")),
      description: optional(text("New description.")),
      activeForm: optional(text("The same, as work in progress.")),
      owner: optional(text("Who works on it.")),
      addBlockedBy: optional(list(text("A task."), "Tasks that must be completed first.")),
      addBlocks: optional(list(text("A task."), "Tasks that must wait for this one.")),
    },
  },
  TaskList: { input: {}, sample: {} },
};

export const TOOL_NAMES: readonly ToolName[] = Object.keys(TOOLS) as ToolName[];

/** Names that tools had in earlier versions, and what they are called now. Configurations still use them. */
export const FORMER_TOOL_NAMES: Readonly<Record<string, string>> = { Task: "Agent" };

/** Other tools of agents of this dialect. Nothing is known of them but that they exist: a matcher for one is no slip. */
export const MORE_TOOL_NAMES: readonly string[] = [
  ..."BashOutput KillShell KillBash LS LSP NotebookRead TodoRead PowerShell REPL Monitor Workflow SlashCommand StructuredOutput".split(" "),
  ..."EnterPlanMode EnterWorktree ExitWorktree TaskGet TaskOutput TaskStop AgentOutputTool TeamCreate TeamDelete Teammate".split(" "),
  ..."SendMessage SendUserMessage SendUserFile PushNotification CronCreate CronDelete CronList ScheduleWakeup RemoteTrigger".split(" "),
  ..."ToolSearch ListMcpResourcesTool ReadMcpResourceTool".split(" "),
];

/** What other agents call tools that do the same, as `plainName` writes it. Their inputs may differ: to hooks they are only named in messages; deny and ask rules and self-protection look into them. */
export const NAMES_ELSEWHERE: Readonly<Partial<Record<ToolName, string>>> = {
  Bash: "shell runshell runshellcommand shellcommand shellexec executeshell execute executecommand execcommand exec runcommand runterminalcmd runterminalcommand runinterminal terminal executebash runbash bashtool localshell console sh zsh shelltool cmd command",
  Read: "readfile viewfile openfile fileread view catfile cat open readfiles readmanyfiles readmultiplefiles readtextfile readmediafile getfilecontents getfilecontent getfile showfile loadfile viewimage",
  Write: "writefile createfile savefile filewrite writetofile create save",
  Edit: "editfile fileedit strreplace strreplaceeditor strreplacebasededittool replaceinfile searchreplace applypatch applydiff modifyfile replace patch modify inserteditintofile replacestringinfile multireplacestringinfile inserttext insertcontent texteditor texteditortool deletefile removefile movefile renamefile copyfile editfiles editnotebookfile searchandreplace",
  Grep: "grepsearch searchfiles ripgrep searchcode rg search",
  Glob: "globsearch findfiles listfiles filesearch",
  WebFetch:
    "fetchwebpage fetchpage readurl readurlcontent visiturl openurl webget fetchcontent browseurl fetch fetchurl urlfetch httpget httprequest browser browse http url",
  WebSearch: "searchweb googlesearch internetsearch",
  Agent: "subagent spawnagent delegate runagent newtask agenttool spawn dispatchagent",
};

/**
 * A name without what people vary: case, and what joins words. `web_fetch` is WebFetch; in names of MCP tools only the case varies.
 * SECURITY: an invisible letter, or a wide one, makes no other tool: a program that reads names loosely would run it past its guard.
 */
export function plainName(name: string): string {
  const seen = IS_ASCII.test(name) ? name : name.normalize("NFKC").replace(UNSEEN, "");
  const lower = seen.trim().toLowerCase();
  return lower.startsWith("mcp__") ? lower : lower.replace(/[\s_-]/g, "");
}

const IS_ASCII = /^[ -~]*$/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Letters that look like Latin ones, each before the one it looks like. */
const LOOK_ALIKES = new Map(
  [
    ..."аaвbеeкkмmнhоoрpсcтtуyхxіiјjѕsԁdһhԛqԝwɡgɑaıiαaβbεeικkιiνvοoρpτtυuχxАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSԌGԜWΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX".matchAll(
      /(.)([a-z])/giu,
    ),
  ].map(([, strange = "", plain = ""]) => [strange, plain]),
);

/** The name in Latin letters, if it only looks like one: with a Cyrillic `а`, `Bаsh` is not Bash. */
export function lookAlike(name: string): string | undefined {
  if (IS_ASCII.test(name)) return undefined;
  const seen = name.normalize("NFKC").replace(UNSEEN, "");
  const plain = [...seen].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join("");
  return plain !== seen && IS_ASCII.test(plain) ? plain : undefined;
}

/**
 * The tool's own name where a program puts others around it: `functions.Bash`, `default_api:bash`, `tools/Bash`, `Bash;ls`.
 * SECURITY: only for what forbids, asks or guards. Which tools an MCP server has is not known.
 */
export function innerName(name: string): string {
  const plain = lookAlike(name) ?? name;
  if (/^\s*mcp[_.:/-]/i.test(plain)) return plain;
  const last = plain.split(/[.:/\\]/).findLast((part) => part.trim() !== "") ?? plain;
  return /^[^;,|&(){}[\]<>$`'"#@!?=+*%^~]+/.exec(last.trim())?.[0] ?? last;
}

const BY_PLAIN_NAME = new Map([
  ...Object.entries(FORMER_TOOL_NAMES).map(([former, name]): [string, ToolName] => [plainName(former), name as ToolName]),
  ...TOOL_NAMES.map((name): [string, ToolName] => [plainName(name), name]),
]);
const BY_OTHER_NAME = new Map(
  Object.entries(NAMES_ELSEWHERE).flatMap(([name, others]) =>
    others.split(" ").map((other): [string, ToolName] => [other, name as ToolName]),
  ),
);

/** The known tool that this name spells in another way; nothing for its own spelling and for other names. */
export function otherSpelling(name: string): ToolName | undefined {
  const known = BY_PLAIN_NAME.get(plainName(name));
  return known === name || Object.hasOwn(FORMER_TOOL_NAMES, name) ? undefined : known;
}

/** The known tool that other agents call by this name, or that stands in it. */
export function calledElsewhere(name: string): ToolName | undefined {
  const own = BY_OTHER_NAME.get(plainName(name));
  if (own !== undefined) return own;
  const inner = innerName(name);
  return inner === name ? undefined : (BY_PLAIN_NAME.get(plainName(inner)) ?? BY_OTHER_NAME.get(plainName(inner)));
}
