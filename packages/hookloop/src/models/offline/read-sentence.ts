/** One thing to do, as a call of a tool. */
export interface Step {
  readonly tool: "Bash" | "Read" | "Write" | "Glob" | "Grep";
  readonly input: Readonly<Record<string, unknown>>;
  /** What it is for; decides how the result is told. */
  readonly purpose: "run" | "read" | "create" | "delete" | "find" | "search" | "summarise";
  /** The part of the sentence it comes from. */
  readonly said: string;
}

/** What a sentence asks for. */
export interface Understanding {
  readonly steps: readonly Step[];
  /** Parts that were not understood. */
  readonly rest: readonly string[];
}

type Rule = readonly [RegExp, (match: RegExpExecArray, before: readonly Step[]) => readonly Omit<Step, "said">[]];

const PATH = String.raw`["'\`]?([\w./~@-]+)["'\`]?`;
const rule = (pattern: string, make: Rule[1]): Rule => [new RegExp(`^(?:please |now |can you |could you )*${pattern}[.!]?$`, "i"), make];

/** First fit counts. Deliberately few: whoever wants more wants a real model. */
const RULES: readonly Rule[] = [
  rule("(?:run|execute)(?: the command)? [`\"']?(.+?)[`\"']?", ([, command]) => [
    { tool: "Bash", purpose: "run", input: { command: command ?? "" } },
  ]),
  rule(`(?:delete|remove) all (?:the )?(temporary |temp )?files (?:in|from|under) ${PATH}`, ([, temporary, folder = ""]) => [
    {
      tool: "Bash",
      purpose: "delete",
      input: { command: `rm -f ${quoted(folder)}/*${temporary ? ".tmp" : ""}`, description: "Delete the files" },
    },
  ]),
  rule(`(?:delete|remove)(?: the)?(?: file| folder)? ${PATH}`, ([, file]) => [
    { tool: "Bash", purpose: "delete", input: { command: `rm -r ${quoted(file ?? "")}`, description: "Delete it" } },
  ]),
  rule(
    `(?:create|write|make)(?: a| the)?(?: new)?(?: file)?(?: called| named)? ${PATH}(?: (?:with(?: the)?(?: content| text)?|saying|containing) ["'\`]?(.*?)["'\`]?)?`,
    ([, file = "", text]) => [
      { tool: "Write", purpose: "create", input: { file_path: file, content: text === undefined ? sample(file) : `${text}\n` } },
    ],
  ),
  rule("(?:print|show|display)(?: me)?(?: the| its)?(?: file(?:'s)?)? contents?(?: of it)?", (_, before) => lastFile(before)),
  rule(`(?:read|show|print|open|display|cat)(?: me)?(?: the)?(?: file)?(?: called| named)? ${PATH}`, ([, file = ""]) => [
    { tool: "Read", purpose: "read", input: { file_path: file } },
  ]),
  rule("(?:search|look|grep) for [\"'`]?(.+?)[\"'`]?(?: in (?:the |this )?(?:workspace|project|code|files))?", ([, text = ""]) => [
    { tool: "Grep", purpose: "search", input: { pattern: escaped(text), output_mode: "content" } },
  ]),
  rule("(?:list|find|show)(?: me)?(?: all)?(?: the)? files(?: here| in (?:the |this )?(?:workspace|project|folder))?", () => [
    { tool: "Glob", purpose: "find", input: { pattern: "**/*" } },
  ]),
  rule("summari[sz]e (?:this|the) (?:workspace|project|repository|repo|folder)(?: in one sentence)?", () => [
    { tool: "Glob", purpose: "summarise", input: { pattern: "**/*" } },
  ]),
];

/** Reads imperative sentences, several of them joined by "and", "then", a comma or a full stop. */
export function readSentence(sentence: string): Understanding {
  const whole = understand(sentence.trim(), []);
  if (whole.length > 0 && whole[0]?.purpose !== "run" && whole[0]?.purpose !== "create") return { steps: whole, rest: [] };
  const steps: Step[] = [];
  const rest: string[] = [];
  for (const part of partsOf(sentence)) {
    const found = understand(part, steps);
    if (found.length > 0) steps.push(...found);
    else rest.push(part);
  }
  return { steps, rest };
}

/** "Then" always joins; "and", a comma or a full stop only if what follows begins like something to do: `run echo a and b` is one command. */
const VERB =
  "(?:please|run|execute|delete|remove|create|write|make|print|show|display|read|open|cat|search|look|grep|list|find|summari[sz]e)";
const JOINT = new RegExp(`,?\\s+(?:and\\s+)?then\\s+|(?:,?\\s+and\\s+|[;.]\\s+|,\\s+|\\n+)(?=${VERB}\\b)`, "i");

function partsOf(sentence: string): readonly string[] {
  return sentence
    .trim()
    .split(JOINT)
    .map((part) => part.trim())
    .filter(Boolean);
}

function understand(part: string, before: readonly Step[]): readonly Step[] {
  for (const [pattern, make] of RULES) {
    const match = pattern.exec(part);
    const steps = match ? make(match, before) : [];
    if (steps.length > 0) return steps.map((step) => ({ ...step, said: part }));
  }
  return [];
}

function lastFile(before: readonly Step[]): readonly Omit<Step, "said">[] {
  const file = before.findLast(({ input }) => typeof input["file_path"] === "string")?.input["file_path"];
  return file === undefined ? [] : [{ tool: "Read", purpose: "read", input: { file_path: file } }];
}

/** Something harmless to look at. */
function sample(file: string): string {
  if (/\.[cm]?[jt]s$/.test(file)) return 'console.log("Hello from the offline model.");\n';
  return "Hello from the offline model.\n";
}

function quoted(word: string): string {
  return /^[\w./~@-]+$/.test(word) ? word.replace(/\/+$/, "") : `'${word.replaceAll("'", `'\\''`)}'`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
