/**
 * Takes a rule, gives what is wrong with what stands in its brackets: a regular expression, a shell's quotes, variables or lists, another rule's form.
 * Compared as it is written, such a rule fits no call: a deny rule would deny nothing.
 */

import { posix } from "node:path";
import { plainName, type ToolRule } from "../../catalogue/index.ts";
import { expandBraces } from "../../shell/index.ts";
import { parameterOf } from "./compile-rule.ts";
import { isKnownTool, meantRule, parseRule, type Rule, toolRow } from "./rule-grammar.ts";

/** What a rule of this kind never has, and a regular expression often. Rules know only `*`; everything else is compared as it is written. */
const SIGNS: Readonly<Record<ToolRule["kind"], RegExp>> = {
  // `/rm/`, `^rm`, `\brm`, `rm|mv`, `git (push|pull)`; in quotes it is the text of an argument.
  command: /^\/[^/]+\/[a-z]{0,3}$|^\^|\\[bswd]|\(\?|^[^"']*[\w)]\|[\w(]/i,
  path: /^\^|\\\.|\$$|\.\*\$?\||\([^()]*\||\.\*.*\.\*/,
  domain: /[\^$|\\()]/,
  name: /^\^|\.\*|\||\$$/,
};

/** `.*` and `+` in a command: `.*deploy`, `touch.*x`, `git push.*`, `touch .*`, `touch+`, `deploy$`, `[rR]m *`. `config.*`, `python3.*` and `g++` are names. */
const REPEATS =
  /^\.[*+]|^[\w-]*[a-z_-]\.[*+]|^[\w-]*[a-z]\+(?:$|[\s*])|^(?:git|npm|npx|pnpm|yarn|docker|podman|kubectl|helm|terraform|cargo|go|gh|aws|gcloud|az|make|apt|apt-get|brew|pip|systemctl)\s+[\w-]+[.][*+]|\s\.\+(?:$|\s)|^[\w -]*\w\$$|^\[[\w-]+\]\w/i;
/** ` .*`: for these programs it may well be the files whose names begin with a dot. */
const BLANK_REPEATS =
  /^(?!(?:sudo\s+)?(?:rm|rmdir|cp|mv|ln|ls|cat|head|tail|less|more|chmod|chown|stat|du|tar|zip|rsync|scp|source|find|grep|rg|vi|vim|nano|git add|git rm)\s)[^"']*\s\.\*/i;

const EXAMPLES: Readonly<Record<ToolRule["kind"], string>> = {
  command: "Bash(git push *)",
  path: "Read(**/.env)",
  domain: "WebFetch(domain:*.example.com)",
  name: "Agent(review-*)",
};

/** Whether what stands in the brackets of a rule was meant as a regular expression. */
export function looksLikeRegex(kind: ToolRule["kind"], spec: string): boolean {
  return SIGNS[kind].test(spec) || (kind === "command" && (REPEATS.test(spec) || BLANK_REPEATS.test(spec)));
}

/** What to write instead: `Write "Bash(rm *)" and "Bash(mv *)".` */
export function regexCure(kind: ToolRule["kind"], { tool, spec = "" }: Rule): string {
  const plain = kind === "command" ? plainCommands(spec) : [];
  if (plain.length === 0) return `Write it with * for any text, as in "${EXAMPLES[kind]}".`;
  return `Write ${plain.map((one) => `"${tool}(${one})"`).join(" and ")}.`;
}

/** One word that the expression looks for wherever it stands: `/deploy/`, `\bdeploy\b`, `.*deploy.*`. */
function anywhereCure({ tool, spec = "" }: Rule): string | undefined {
  const [, word] = ANYWHERE.exec(spec) ?? [];
  if (word === undefined) return undefined;
  return `Write "${tool}(*${word}*)" for the text anywhere in a command, or "${tool}(${word} *)" for the command of that name.`;
}

const ANYWHERE = /^(?:\/|\\b|\.[*+])+([\w-]+)(?:\\b|\.[*+]|\/[a-z]{0,3})*$/;

const MOST_COMMANDS = 5;

/** The commands that a simple expression names; none if it is not simple. */
export function plainCommands(regex: string): readonly string[] {
  const bare = regex
    .slice(0, 200)
    .replace(/^\/(.*)\/[a-z]{0,3}$/s, "$1")
    .replace(/\(\?[:=!]|\(\?<[=!]/g, "(")
    .replace(/\\b|[\^$]/g, "")
    .replace(/\\s[+*]?/g, " ")
    .replace(/\.[*+]/g, "*");
  const [, before = "", group, after = ""] = /^([^()]*)\(([^()]*)\)([^()]*)$/.exec(bare) ?? [];
  const commands = group === undefined ? bare.split("|") : group.split("|").map((one) => before + one + after);
  const tidy = commands.map((one) => `${one.trim().replace(/^\*+|\+$|\s*\*$/g, "")} *`);
  return tidy.length <= MOST_COMMANDS && tidy.every((one) => /^[\w./-][\w./ -]*(?: \*)?$/.test(one)) ? tidy : [];
}

/** What is wrong with a rule, and the rules that it surely means; none if that cannot be told. */
export interface Slip {
  readonly why: string;
  readonly meant: readonly Rule[];
  /** It may well mean what it says. */
  readonly isPlausible?: boolean | undefined;
}

/** Where the rule stands: in which list, and the folders of its source, for paths that begin with one of them. */
export interface SlipPlace {
  readonly list: "allow" | "ask" | "deny";
  readonly root: string;
  readonly home?: string | undefined;
}

type Finder = (rule: Rule & { readonly spec: string }, place: SlipPlace) => Found | undefined;
/** Why, and the specs that are meant instead; `undefined` among them: the tool without brackets. */
type Found = readonly [why: string, specs: readonly (string | undefined)[]];

/** One slip may hide another: `Read("$HOME/.ssh/**")`. */
const MOST_SLIPS = 4;

export function slipOf(rule: Rule, place: SlipPlace): Slip | undefined {
  const found = toolSlip(rule) ?? specSlip(rule, place);
  if (!found) return undefined;
  let meant = found.meant;
  for (let round = 1; round < MOST_SLIPS; round++) meant = meant.flatMap((one) => specSlip(one, place)?.meant ?? [one]);
  return { ...found, meant };
}

/** What is wrong with a hook's `if`, and what to write. Nothing there counts as it is meant: its calls would run a hook for which they were not named. */
export function conditionSlip(rule: Rule, place: SlipPlace): Pick<Slip, "why" | "isPlausible"> | undefined {
  const kind = toolRow(rule.tool)?.rule?.kind;
  const { spec } = rule;
  if (spec !== undefined && kind && looksLikeRegex(kind, spec))
    return {
      why: `it is no regular expression. It is compared as it is written, with * for any text. ${anywhereCure(rule) ?? regexCure(kind, rule)}`,
    };
  const slip = slipOf(rule, place);
  const cures =
    slip?.meant.map((one) => `"${one.spec === undefined ? one.tool : `${one.tool}(${one.spec})`}"`).slice(0, MOST_COMMANDS) ?? [];
  if (slip)
    return {
      ...slip,
      why: `${slip.why}${cures.length > 0 ? ` Write ${cures.join(" or ")}${slip.isPlausible ? " if you mean that" : ""}.` : ""}`,
    };
  if (kind !== "command" || spec === undefined || /[*|;&<>]/.test(spec)) return undefined;
  const open = spec.replace(/\s*%\w?$|\s*(?:<\w+>|\.\.\.|…)$/, "");
  return {
    isPlausible: true,
    why: `matches only exactly ${JSON.stringify(spec)}, without another word. Did you mean "${rule.tool}(${open} *)"?`,
  };
}

/** Names of MCP tools: `mcp__server__` is no tool of the server, and a server's name has no dot. */
function toolSlip({ tool, spec }: Rule): Slip | undefined {
  const [, server] = /^(mcp__[^*]*?[^_*])__+$/.exec(tool) ?? [];
  if (server !== undefined) return { why: "it names a server and no tool of it.", meant: [{ tool: server, spec }] };
  if (/^mcp_+$/.test(tool)) return { why: 'it names no server. Write "mcp__<server>", or "mcp__*" for all of them.', meant: [] };
  const [, dotted, rest] = /^(mcp__[^.*_]+(?:_[^.*_]+)*)\.([\w*.-]+)$/.exec(tool) ?? [];
  if (dotted === undefined || rest === undefined) return undefined;
  return { why: 'a server and its tool are joined by "__".', meant: [{ tool: `${dotted}__${rest}`, spec }] };
}

function specSlip({ tool, spec }: Rule, place: SlipPlace): Slip | undefined {
  if (spec === undefined) return undefined;
  const kind = toolRow(tool)?.rule?.kind;
  const finders = [wholeQuotes, unseen, ...(kind ? FINDERS[kind] : []), namedValue];
  for (const find of finders) {
    const found = find({ tool, spec }, place);
    if (found)
      return {
        why: found[0],
        isPlausible: found[0] === FROM_SETTINGS,
        meant: found[1].map((one) => (one === undefined ? { tool } : { tool, spec: one })),
      };
  }
  return undefined;
}

const wholeQuotes: Finder = ({ spec }) => {
  const [, , inner] = /^(["'`])([^"'`]+)\1$/.exec(spec) ?? /^([“‘«])([^”’»]+)[”’»]$/.exec(spec) ?? [];
  return inner === undefined ? undefined : ["quotes around it are compared as part of it.", [inner.trim()]];
};

const unseen: Finder = ({ spec }) => {
  const plain = spec.replace(/(?!\s)[\p{Cf}\p{Cc}]/gu, "");
  return plain === spec ? undefined : ["it has characters that cannot be seen.", [plain.trim()]];
};

/** `to=prod`, `to: prod`: of a tool's parameters, and of the field that its rules are about anyway. */
const namedValue: Finder = ({ tool, spec }) => {
  const [, name = "", value = ""] = /^(\w+)\s*[:=]\s*(\S.*)$/s.exec(spec) ?? [];
  const row = toolRow(tool);
  const field = row ? Object.keys(row.input).find((one) => plainName(one) === plainName(name)) : name;
  const rule = `${field}:${value.trim()}`;
  if (name === "" || field === undefined || rule === spec || !parameterOf({ tool, spec: rule })) return undefined;
  return ['a parameter is written "name:value".', [rule]];
};

/** The usual name of the field that a rule of this kind is about. */
const OWN_FIELD: Readonly<Record<ToolRule["kind"], RegExp>> = {
  command: /^(?:command|cmd|script)\s*[:=]\s*(?=\S)/i,
  path: /^(?:file_?path|notebook_path|path|file(?!:\/\/)|filename|folder)\s*[:=]\s*(?=\S)/i,
  domain: /^(?:(?:url|host|hostname|address)\s*[:=]|domain\s*=|domain\s*:\s+|domain\s+:)\s*(?=\S)/i,
  // A skill may be called "plugin:name".
  name: /^(?:subagent_type|skill)\s*[:=]\s*(?=\S)/i,
};

function ownField(kind: ToolRule["kind"]): Finder {
  return ({ spec }) => {
    const bare = spec.replace(OWN_FIELD[kind], kind === "domain" ? "domain:" : "");
    return bare === spec ? undefined : ["what it is about needs no name here. Write it directly.", [bare]];
  };
}

const negated: Finder = ({ spec }) =>
  /^(?:domain:\s*)?!/.test(spec)
    ? ['a rule cannot be turned round with "!". Write what it is about, in the list that says what happens.', []]
    : undefined;

/** Everything outside of quotes, with the same length. */
function unquoted(spec: string): string {
  return spec.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs, (hidden) => "_".repeat(hidden.length));
}

const blanks: Finder = ({ spec }) => {
  const open = unquoted(spec);
  const runs = [...open.matchAll(/\s+/g)];
  if (runs.every(([run]) => run === " ") || open.includes("\n")) return undefined;
  const words = runs.map(({ index }, at) => spec.slice(endOf(runs[at - 1]), index));
  return ["words are compared with one blank between them.", [[...words, spec.slice(endOf(runs.at(-1)))].join(" ")]];
};

function endOf(found: RegExpExecArray | undefined): number {
  return found ? found.index + found[0].length : 0;
}

const nothingBeforeStar: Finder = ({ spec }) => {
  if (spec === ":*") return ['nothing stands before ":*".', [undefined]];
  return /\s:\*$/.test(spec) ? ['":*" follows the last word directly.', [spec.slice(0, -2).trimEnd().concat(" *")]] : undefined;
};

const assignment: Finder = ({ spec }, { list }) => {
  const bare = spec.replace(/^(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"']*)\s+)+(?=\S)/, "");
  return bare === spec || list === "allow" ? undefined : ["variables before a command are not compared.", [bare]];
};

const substitution: Finder = ({ spec }) => {
  const [, inner] = /^\$?\(([^()]+)\)$/.exec(spec) ?? [];
  return inner === undefined || inner.includes("|")
    ? undefined
    : ["a command counts wherever it stands in a line, also in a substitution.", [inner.trim()]];
};

const redirection: Finder = ({ spec }) => {
  const [, sign = "", file] = /^\d?(>>?|&>|<)\s*(\S+)$/.exec(spec) ?? [];
  if (file === undefined) return undefined;
  return [`a redirection is no command. Write "${sign === "<" ? "Read" : "Edit"}(${file.startsWith("/") ? `/${file}` : file})".`, []];
};

const firstWordBraces: Finder = ({ spec }) => {
  const [first = ""] = spec.split(" ", 1);
  const words = first.includes("{") ? (expandBraces(first) ?? [anyInBraces(first)]) : [first];
  return words.length < 2 && words[0] === first ? undefined : [BRACES, words.map((word) => word + spec.slice(first.length))];
};

/** From the first brace of each part to the last. */
function anyInBraces(text: string): string {
  const open = text.indexOf("{");
  const close = text.lastIndexOf("}");
  if (close < open) return text;
  return `${text.slice(0, open)}${text.slice(open, close).includes("/") ? "**/*" : "*"}${text.slice(close + 1)}`;
}

const BRACES = "braces are compared as they are written.";

const pathBraces: Finder = ({ spec }) => {
  if (!spec.includes("{") || spec.includes("$")) return undefined;
  // SECURITY: braces that stand for more paths than are written out may stand for any name.
  const paths = expandBraces(spec) ?? [anyInBraces(spec)];
  return paths.length < 2 && paths[0] === spec ? undefined : [BRACES, paths];
};

/** `*.env, *.pem`, `*.env|*.pem`, `.env .pem`; a comma or a blank alone may belong to a file's name. */
const severalPaths: Finder = ({ spec }) => {
  const listed = spec.split(/[|;]|,(?=[\s.*~/])|(?<=\*),/).map((one) => one.trim());
  const paths = listed.length > 1 ? listed : spec.split(/\s(?=[.*~/])/).map((one) => one.trim());
  const isList = paths.length > 1 && paths.every((one) => one !== "" && !/[()]/.test(one)) && (listed.length > 1 || /^[.*~/]/.test(spec));
  return isList ? ["it is compared as one path, not as a list.", paths] : undefined;
};

const HOME = /^(?:\$HOME|\$\{HOME\}|%USERPROFILE%|%HOME%)(?=[/\\]|$)/i;
const PROJECT = /^(?:\$(?:CLAUDE_PROJECT_DIR|PWD)|\$\{(?:CLAUDE_PROJECT_DIR|PWD)\})(?=\/|$)/;

const variable: Finder = ({ spec }) => {
  const why = "variables are not filled in.";
  const plain = spec.replace(HOME, "~").replace(PROJECT, "");
  if (plain !== spec) return [why, [plain === "" ? "/**" : plain]];
  if (/^(?:\$[A-Z_][A-Z0-9_]*|\$\{\w+\}|%[A-Z_]+%)(?=[/\\]|$)/.test(spec))
    return [`${why} Write the folder that it stands for, as in "//srv/data/**".`, []];
  return /^~[a-z_][\w-]*\//.test(spec) ? ['only "~/" is a home folder, your own. Write the path, as in "//home/name/**".', []] : undefined;
};

/** Folders that are seldom those of a project; a path that begins with one is meant from the root of the file system. */
const SYSTEM = /^\/(?:etc|usr|root|home|proc|sys|boot|tmp|var|mnt|srv|Users|Volumes)(?:\/|$)/;

const absolute: Finder = ({ spec }, { root, home }) => {
  const path = spec.replace(/^file:\/\/(?=\/)/, "");
  const isBelow = (folder: string | undefined): boolean => folder !== undefined && folder.length > 1 && `${path}/`.startsWith(`${folder}/`);
  const isMeant = !path.startsWith("//") && (path !== spec || SYSTEM.test(path) || isBelow(root) || isBelow(home));
  return isMeant ? [FROM_SETTINGS, [`/${path}`]] : undefined;
};

const FROM_SETTINGS = 'a path with one "/" begins at the folder of the settings; one from the root of the file system begins with "//".';

const dots: Finder = ({ spec }, { root }) => {
  if (spec === "." || spec === "./") return ['"." is no name of a file.', ["./**"]];
  if (!/(?:^|\/)\.\.(?:\/|$)/.test(spec)) return undefined;
  const isAnchored = /^(?:~?\/)/.test(spec);
  return [
    '".." is not followed.',
    [isAnchored ? posix.normalize(spec).replace(/^\/(?!\/)/, spec.startsWith("//") ? "//" : "/") : `/${posix.join(root, spec)}`],
  ];
};

const host: Finder = ({ spec }) => {
  const given = spec.replace(/^domain:/, "");
  const bare = given
    .replace(/^[a-z*][a-z0-9+.*-]*:\/\//i, "")
    .replace(/^\/\//, "")
    .replace(/[/?#].*$/s, "")
    .replace(/^[^@]*@/, "")
    .replace(/:(?:\d+|\*)$/, "")
    .replace(/\.$/, "");
  const hosts = bare.startsWith(".") ? [bare.slice(1), `*${bare}`] : [inAscii(bare)];
  if (hosts.length === 1 && spec === `domain:${hosts[0]}`) return undefined;
  const isHost = hosts.every((one) => /^(?:[\w*-]+(?:\.[\w*-]+)*|\[[\da-f:]+\])$/i.test(one));
  // A list, a regular expression or something else altogether.
  if (!isHost) return undefined;
  return [
    'it is compared with the host of an address, without scheme, port and path, as "domain:example.com".',
    hosts.map((one) => `domain:${one}`),
  ];
};

/** As addresses are read: `bücher.de` is `xn--bcher-kva.de`. */
function inAscii(name: string): string {
  const address = `http://${name}`;
  return /[^ -~]/.test(name) && URL.canParse(address) ? new URL(address).hostname : name;
}

const FINDERS: Readonly<Record<ToolRule["kind"], readonly Finder[]>> = {
  command: [ownField("command"), negated, blanks, nothingBeforeStar, assignment, substitution, redirection, firstWordBraces],
  path: [ownField("path"), negated, pathBraces, severalPaths, variable, absolute, dots],
  domain: [ownField("domain"), negated, host],
  name: [ownField("name"), negated],
};

/** What is often put between rules. */
const JOINTS = /\s*(?:[,;]|\|\|?|&&?)\s*|\s+(?:(?:or|and)\s+)?/i;
/** What ends one command and begins another: no single command has it. A comma only where a word follows that could be a program. */
const ENDS: Readonly<Partial<Record<ToolRule["kind"], RegExp>>> = {
  command: /\s*(?:\|\|?|&&|;)\s*(?=[\w./~-])|\s*,\s+(?=[\w./~-]+(?:\s|$))/g,
  path: /(?<=\*)\s*(?:\||,)\s*(?=[\w./~*-])/g,
};

/**
 * The rules that a text means which must be one: `Bash(rm *),Bash(touch *)`, `Bash(rm *|touch *)`. Nothing if it is one.
 * Read as one rule, such a text is about a command that is never run.
 */
export function severalRules(text: string): readonly string[] | undefined {
  const joined = joinedRules(text);
  if (joined) return joined;
  const rule = parseRule(text);
  const kind = rule && toolRow(rule.tool)?.rule?.kind;
  const end = kind && ENDS[kind];
  if (!rule?.spec || !end || (kind === "path" && rule.spec.includes("{"))) return undefined;
  const { spec } = rule;
  // In quotes, and after a backslash, it is the text of an argument.
  const open = spec.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs, (hidden) => "_".repeat(hidden.length));
  const specs: string[] = [];
  let from = 0;
  for (const found of open.matchAll(end)) {
    specs.push(spec.slice(from, found.index).trim());
    from = found.index + found[0].length;
  }
  // A line without `*` is compared as a whole as well. A regular expression (`rm|mv`) is told as that.
  if (specs.length === 0 || !spec.includes("*") || looksLikeRegex(kind, spec)) return undefined;
  const all = [...specs, spec.slice(from).trim()];
  // `*| sh` is about what a line ends with: "*" alone would be every command.
  return all.includes("*") ? undefined : all.map((one) => `${rule.tool}(${one})`);
}

/** The rules of a text that joins whole ones: `Bash(rm *),Bash(touch *)`, `Read Edit`, `Bash(rm *), Read`. Nothing if it does not. */
export function joinedRules(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  // There may be thousands of rules, and hardly one is joined.
  if (!/\)[^)]|^[^(]*[\s,;|&]/.test(trimmed)) return undefined;
  const starts = [...trimmed.matchAll(/(?<![\w*-])([A-Za-z][\w-]*)\(/g)].filter(([, tool = ""]) => isTool(tool)).map(({ index }) => index);
  const pieces = starts.map((start, position) => piecesOf(trimmed.slice(start, starts[position + 1])));
  const rules = [bareNames(trimmed.slice(0, starts[0])), ...pieces].flatMap((piece) => piece ?? [""]);
  return rules.length > 1 && !rules.includes("") ? rules : undefined;
}

/** A rule with its parentheses, and bare names that follow it. */
function piecesOf(text: string): readonly string[] | undefined {
  const end = text.lastIndexOf(")") + 1;
  const rule = text.slice(0, end);
  const names = bareNames(text.slice(end));
  return names && rule.split("(").length === rule.split(")").length ? [rule, ...names] : undefined;
}

/** Names of tools and what separates them; nothing if anything else stands there. */
function bareNames(text: string): readonly string[] | undefined {
  const names = text.split(JOINTS).filter(Boolean);
  return names.every(isTool) ? names : undefined;
}

/** However it is spelt. */
function isTool(name: string): boolean {
  return isKnownTool(meantRule({ tool: name, spec: "x" }).tool);
}
