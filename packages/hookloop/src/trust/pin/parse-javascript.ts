// Takes the text of a JavaScript or TypeScript file; gives its syntax tree, and what can be told of a node from where it stands.

import { createRequire } from "node:module";
import path from "node:path";
import type { ParserOptions } from "oxc-parser";
import { set } from "./code-reader.ts";

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

export type Visit = { readonly node: Node; readonly parent: Node | undefined; readonly key: string };

/** SECURITY: the parser is native code, and text that nests deeper than its stack would end the whole process. */
const MAX_LENGTH = 131_072;
const MAX_OPEN = 100;
const MAX_LINKS = 4000;
const LINKS = /[=?!~:]|[-+](?=\s*[-+])|\b(?:typeof|void|delete|await|yield|new|for|while|if|else|with|do|throw)\b/g;

type Parse = typeof import("oxc-parser")["parseSync"];
let parser: Parse | undefined;

/** The program of a text, or nothing if it is none. The parser takes 20 ms to load, so only who needs it pays. */
export function programOf(text: string, file: string): Node | undefined {
  if (text.length > MAX_LENGTH || isNestedTooDeeply(text)) return undefined;
  parser ??= (createRequire(import.meta.url)("oxc-parser") as { parseSync: Parse }).parseSync;
  for (const [name, sourceType] of waysToRead(file)) {
    const { program, errors } = parser(name, text.replace(/^#!.*/, ""), { sourceType, preserveParens: false } as ParserOptions);
    if (errors.length === 0) return program as unknown as Node;
  }
  return undefined;
}

function waysToRead(file: string): readonly (readonly [string, "module" | "commonjs"])[] {
  const extension = path.extname(file);
  if (/^\.[cm]?tsx?$/.test(extension)) return [[`x${extension}`, extension === ".cts" ? "commonjs" : "module"]];
  if (extension === ".mjs") return [["x.mjs", "module"]];
  if (extension === ".cjs") return [["x.cjs", "commonjs"]];
  const either = [
    ["x.mjs", "module"],
    ["x.cjs", "commonjs"],
  ] as const;
  return extension === ".js" ? either : [...either, ["x.ts", "module"]];
}

function isNestedTooDeeply(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "(" || character === "{" || character === "[") open++;
    else if ((character === ")" || character === "}" || character === "]") && open > 0) open--;
    if (open > MAX_OPEN) return true;
  }
  return (text.match(LINKS)?.length ?? 0) > MAX_LINKS;
}

export function isWrapper({ type }: Node): boolean {
  return (
    type === "ChainExpression" ||
    type === "TSAsExpression" ||
    type === "TSNonNullExpression" ||
    type === "TSSatisfiesExpression" ||
    type === "TSTypeAssertion"
  );
}

export function isModuleCall(node: Node): boolean {
  const callee = node["callee"] as Node | undefined;
  return (
    node.type === "ImportExpression" || (node.type === "CallExpression" && callee?.type === "Identifier" && callee["name"] === "require")
  );
}

/** The object of a member whose name stands in the text. */
export function isBeginning(parent: Node | undefined, key: string): boolean {
  if (parent?.type !== "MemberExpression" || key !== "object") return false;
  return parent["computed"] === false || literalOf(parent["property"] as Node, String) !== undefined;
}

export function isFunction({ type }: Node): boolean {
  return type === "ArrowFunctionExpression" || type === "FunctionExpression";
}

export function isCallee(parent: Node | undefined, key: string): boolean {
  return (parent?.type === "CallExpression" || parent?.type === "NewExpression") && key === "callee";
}

export function isComparison(parent: Node | undefined): boolean {
  return parent?.type === "BinaryExpression";
}

export function isPromisified(parent: Node | undefined, key: string): boolean {
  const callee = parent?.["callee"] as Node | undefined;
  const name = callee?.type === "MemberExpression" ? (callee["property"] as Node)["name"] : callee?.["name"];
  return parent?.type === "CallExpression" && key.startsWith("arguments") && name === "promisify";
}

/** `const read = fs.readFileSync`: the name stands for it from then on. */
export function isAlias(parent: Node | undefined, key: string): boolean {
  return (parent?.type === "VariableDeclarator" && key === "init") || parent?.type === "AwaitExpression";
}

/** Text that stands in the code as it is. */
export function literalOf<Result>(node: Node, use: (text: string) => Result): Result | undefined {
  if (node.type === "Literal" && (typeof node["value"] === "string" || typeof node["value"] === "number"))
    return use(String(node["value"]));
  if (node.type !== "TemplateLiteral" || (node["expressions"] as readonly Node[]).length > 0) return undefined;
  const [quasi] = node["quasis"] as readonly Node[];
  const { cooked } = (quasi?.["value"] ?? {}) as { cooked?: string };
  return cooked === undefined ? undefined : use(cooked);
}

const BINDING_KEYS = set("id local param params");

/** Where a name is made, not used. */
export function isBindingPlace(parent: Node | undefined, key: string): boolean {
  if (!parent) return false;
  const own = key.replace(/\d+$/, "");
  if (/^(?:Import\w*Specifier)$/.test(parent.type)) return true;
  if (parent.type === "ExportSpecifier") return false;
  if (/Pattern$/.test(parent.type)) return !(parent.type === "AssignmentPattern" && own === "right");
  if (parent.type === "RestElement") return true;
  if (parent.type === "Property" && own === "value")
    return parent["shorthand"] === true || parent["isPattern"] === true ? parent["isPattern"] === true : false;
  return BINDING_KEYS.has(own) && !/^(?:CallExpression|NewExpression)$/.test(parent.type);
}

/** A name that stands for nothing but itself: of a member, a property, a label. */
export function isNameOnly(parent: Node | undefined, key: string): boolean {
  if (!parent) return false;
  if (parent.type === "MemberExpression") return key === "property" && parent["computed"] === false;
  if (/^(?:Property|MethodDefinition|PropertyDefinition|AccessorProperty)$/.test(parent.type))
    return key === "key" && parent["computed"] === false;
  if (parent.type === "ExportSpecifier") return key === "exported";
  return /^(?:LabeledStatement|BreakStatement|ContinueStatement|MetaProperty|ImportAttribute|TSEnumMember|ExportAllDeclaration)$/.test(
    parent.type,
  );
}

export function assignedNames(node: Node): readonly string[] {
  const target = (
    node.type === "AssignmentExpression" || node.type === "ForInStatement" || node.type === "ForOfStatement"
      ? node["left"]
      : node.type === "UpdateExpression"
        ? node["argument"]
        : undefined
  ) as Node | undefined;
  if (!target) return [];
  return visitsOf(target).flatMap((one) =>
    one.node.type === "Identifier" && !(one.parent?.type === "MemberExpression") ? [one.node["name"] as string] : [],
  );
}

/** Types have no part in what runs. */
const TYPE_KEYS = set("typeAnnotation typeParameters typeArguments returnType superTypeArguments implements decorators");
const TYPES = /^TS(?:Interface|TypeAlias|Declare|Type(?!Assertion)|.*Keyword$)/;

/** Every node with the one above it, in order. SECURITY: not by recursion, which a text could exhaust. */
export function visitsOf(root: Node): readonly Visit[] {
  const visits: Visit[] = [];
  const waiting: Visit[] = [{ node: root, parent: undefined, key: "" }];
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    visits.push(visit);
    const { node } = visit;
    const inPattern = node.type === "ObjectPattern";
    const children: Visit[] = [];
    const isHandedOn = node.type === "ExportNamedDeclaration" && node["source"] !== null;
    for (const [key, value] of Object.entries(node)) {
      if (TYPE_KEYS.has(key) || (isHandedOn && key === "specifiers") || typeof value !== "object" || value === null) continue;
      const all = Array.isArray(value) ? value : [value];
      all.forEach((child: unknown, at) => {
        if (!isNode(child) || TYPES.test(child.type) || child["declare"] === true) return;
        const marked = inPattern && child.type === "Property" ? ({ ...child, isPattern: true } as Node) : child;
        children.push({ node: marked, parent: node, key: Array.isArray(value) ? `${key}${at}` : key });
      });
    }
    waiting.push(...children.reverse());
  }
  return visits;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string" && "start" in value;
}

/** `writeFileSync(x, y, { flag: "wx" })`: then a file that is there makes it fail. */
export function hasFlags(call: Node, constantOf: (node: Node) => Node): boolean {
  const [, ...options] = call["arguments"] as readonly Node[];
  return options.map(constantOf).some((given) => {
    const properties = given.type === "ObjectExpression" ? (given["properties"] as readonly Node[]) : [];
    return properties.some(({ type, key }) => type !== "Property" || /^flags?$/.test(String((key as Node)["name"] ?? "flag")));
  });
}

// What a module changes after it was declared. SECURITY: what a name was read to stand for holds only where nothing changes it.

const CHANGES_LISTS = set("push pop shift unshift splice sort reverse fill copyWithin");
const CHANGES_OBJECTS = set("assign defineProperty defineProperties setPrototypeOf __defineSetter__");
const OF_ERRORS = /^(?:Error|TypeError|RangeError|SyntaxError)$/;

export type Change = { readonly node: Node; readonly what: string };

/** Each place where a member is set, or a list changed, that may be part of what the module reads, starts or is called with. */
export function changesOf(visits: readonly Visit[]): readonly Change[] {
  const above = new Map(visits.map((visit) => [visit.node, visit]));
  const own = ownNames(visits);
  return visits.flatMap((visit): readonly Change[] => {
    const { node } = visit;
    const set = targetsOf(node).filter((target) => !isOwnMember(target, own) && !isSettable(target, node, above));
    const isOther = set.length > 0 || isChangingUse(visit, own) || isOfMeta(visit);
    return isOther ? [{ node, what: "changes, or may change, what was declared elsewhere" }] : [];
  });
}

/** Members that are set, also by a pattern or a loop, or deleted. */
function targetsOf(node: Node): readonly Node[] {
  const isLoop = node.type === "ForInStatement" || node.type === "ForOfStatement";
  const isDeleted = node.type === "UnaryExpression" && node["operator"] === "delete";
  if (!isLoop && !isDeleted && node.type !== "AssignmentExpression" && node.type !== "UpdateExpression") return [];
  const target = bare((node["left"] ?? node["argument"]) as Node);
  if (target.type === "MemberExpression") return [target];
  return target.type === "VariableDeclaration"
    ? []
    : visitsOf(target).flatMap((one) => (one.node.type === "MemberExpression" ? one.node : []));
}

function bare(node: Node): Node {
  return isWrapper(node) ? bare(node["expression"] as Node) : node;
}

/** `found.x` and `found[0]`, where `found` is a list or an object that stays in the module. */
function isOwnMember(member: Node, own: ReadonlySet<string>): boolean {
  const object = bare(member["object"] as Node);
  const property = member["property"] as Node;
  return object.type === "Identifier" && own.has(object["name"] as string) && property["name"] !== "__proto__";
}

/** `process.exitCode`, `module.exports`, what is looked at as a variable of the process, and `this.x` of an object that is made there. */
function isSettable(member: Node, by: Node, above: ReadonlyMap<Node, Visit>): boolean {
  const object = bare(member["object"] as Node);
  if (object.type === "ThisExpression") return member["computed"] === false && isInConstructor(object, above);
  const names = dotted(member);
  const isPlain = by.type === "AssignmentExpression" || by.type === "UnaryExpression";
  if (/^process\.env\.?/.test(names) && dotted(object) === "process.env")
    return isPlain && bare((by["left"] ?? by["argument"]) as Node) === member;
  return /^(?:process\.exitCode|module\.exports(?:\.\w+)?|exports\.\w+)$/.test(names);
}

/** SECURITY: a class may be given its object by the one above it, and a method by whoever calls it. */
function isInConstructor(node: Node, above: ReadonlyMap<Node, Visit>): boolean {
  for (let visit = above.get(node); visit?.parent; visit = above.get(visit.parent)) {
    const { parent } = visit;
    if (/^(?:FunctionDeclaration|StaticBlock|PropertyDefinition)$/.test(visit.node.type)) return false;
    if (visit.node.type !== "FunctionExpression") continue;
    const type = above.get(above.get(parent)?.parent ?? parent)?.parent;
    const parentClass = type?.["superClass"] as Node | null | undefined;
    return (
      parent.type === "MethodDefinition" &&
      parent["kind"] === "constructor" &&
      (!parentClass || OF_ERRORS.test(String(parentClass["name"])))
    );
  }
  return false;
}

function dotted(node: Node): string {
  const one = bare(node);
  if (one.type === "Identifier") return String(one["name"]);
  if (one.type !== "MemberExpression") return "?";
  return one["computed"] === true
    ? `${dotted(one["object"] as Node)}.?`
    : `${dotted(one["object"] as Node)}.${String((one["property"] as Node)["name"])}`;
}

/** `list.push(…)`, `Object.assign(object, …)`; also their being taken to be called elsewhere. */
function isChangingUse({ node, parent, key }: Visit, own: ReadonlySet<string>): boolean {
  if (node.type === "Property" && node["isPattern"] === true)
    return changes(String((node["key"] as Node)["name"] ?? (node["key"] as Node)["value"]));
  if (node.type === "Property" || node.type === "PropertyDefinition") return (node["key"] as Node)["name"] === "__proto__";
  if (node.type !== "MemberExpression") return false;
  const name = String((node["property"] as Node)["name"] ?? (node["property"] as Node)["value"] ?? "");
  if (!changes(name) || (node["computed"] === true && (node["property"] as Node).type === "Identifier")) return false;
  if (!isCallee(parent, key)) return true;
  if (CHANGES_LISTS.has(name)) return !isOwnMember(node, own) && !isNewList(bare(node["object"] as Node));
  const [first] = (parent?.["arguments"] ?? []) as readonly Node[];
  return first?.type !== "ObjectExpression" && !(first?.type === "Identifier" && own.has(first["name"] as string));
}

const changes = (name: string): boolean => CHANGES_LISTS.has(name) || CHANGES_OBJECTS.has(name);

/** `[...list].sort()`, `Object.keys(object).sort()` */
function isNewList(node: Node): boolean {
  if (node.type === "ArrayExpression") return true;
  return node.type === "CallExpression" && /^(?:Object\.(?:keys|values|entries)|Array\.from)$/.test(dotted(node["callee"] as Node));
}

const META = set("url dirname filename main dir path");

/** What else a module can be told of itself depends on what lies around it. */
function isOfMeta({ node, parent, key }: Visit): boolean {
  if (node.type !== "MetaProperty" || (node["meta"] as Node)["name"] !== "import") return false;
  return parent?.type !== "MemberExpression" || key !== "object" || !META.has(String((parent["property"] as Node)["name"]));
}

/** Names of lists and objects that are made where they are declared, and are never handed on. */
export function ownNames(visits: readonly Visit[]): ReadonlySet<string> {
  const own = new Set<string>();
  const other = new Set<string>();
  for (const { node, parent, key } of visits) {
    for (const name of assignedNames(node)) other.add(name);
    if (node.type !== "Identifier" || isNameOnly(parent, key)) continue;
    const name = node["name"] as string;
    if (!isBindingPlace(parent, key)) {
      if (!isKept(parent, key)) other.add(name);
      continue;
    }
    const made = parent?.type === "VariableDeclarator" ? (parent["init"] as Node | null)?.type : undefined;
    if (/^(?:Object|Array)Expression$/.test(made ?? "")) own.add(name);
    else other.add(name);
  }
  return new Set([...own].filter((name) => !other.has(name)));
}

function isKept(parent: Node | undefined, key: string): boolean {
  if (parent?.type === "CallExpression") return /^(?:console\.\w+|JSON\.stringify)$/.test(dotted(parent["callee"] as Node));
  if (parent?.type === "MemberExpression") return key === "object";
  return (
    /^(?:ReturnStatement|SpreadElement|BinaryExpression|UnaryExpression|ExportSpecifier|ExportDefaultDeclaration)$/.test(
      parent?.type ?? "",
    ) ||
    (parent?.type === "ForOfStatement" && key === "right")
  );
}

/** Each place where a name of the language, or one that is bound to a module, is made or set once more. */
export function shadowsOf(visits: readonly Visit[], isBound: (name: string) => boolean): readonly Change[] {
  const seen = new Set<string>();
  return visits.flatMap(({ node, parent, key }) => {
    const isImported = /^Import\w*Specifier$/.test(parent?.type ?? "");
    const isMade = node.type === "Identifier" && isBindingPlace(parent, key) && !(isImported && key === "imported");
    const name = String(node["name"]);
    const again = isMade && ((OF_THE_LANGUAGE.has(name) && !isImported) || (isBound(name) && seen.has(name))) ? [name] : [];
    if (isMade) seen.add(name);
    const set = assignedNames(node).filter((one) => isBound(one) || (GLOBALS.has(one) && one !== "exports"));
    return [...again, ...set].map((one) => ({ node, what: `${one}, which stands for more than one thing` }));
  });
}

export function lastName(node: Node): string {
  if (node.type !== "MemberExpression") return "";
  const property = node["property"] as Node;
  return String(property["name"] ?? property["value"] ?? "");
}

/** Names to which the reader gives a meaning of its own: a module that makes one itself means something else by it. */
const OF_THE_LANGUAGE: ReadonlySet<string> = set(
  "process JSON URL String Object Array Function Buffer Bun Deno require module exports console globalThis global self Reflect Proxy",
);
export const OF_MODULES: ReadonlySet<string> = set("path os fs url util child_process vm promisify");

/** Everything that a module may be made of. SECURITY: what is not among them is a doubt, whatever the parser comes to know. */
export const KNOWN_NODES: ReadonlySet<string> = set(
  "Program ExpressionStatement BlockStatement EmptyStatement DebuggerStatement ReturnStatement LabeledStatement BreakStatement ContinueStatement IfStatement SwitchStatement SwitchCase ThrowStatement TryStatement CatchClause WhileStatement DoWhileStatement ForStatement ForInStatement ForOfStatement FunctionDeclaration VariableDeclaration VariableDeclarator ThisExpression ArrayExpression ObjectExpression Property FunctionExpression ArrowFunctionExpression UnaryExpression UpdateExpression BinaryExpression AssignmentExpression LogicalExpression MemberExpression ConditionalExpression CallExpression NewExpression SequenceExpression YieldExpression AwaitExpression TemplateLiteral TemplateElement TaggedTemplateExpression ObjectPattern ArrayPattern RestElement AssignmentPattern SpreadElement ClassDeclaration ClassExpression ClassBody MethodDefinition PropertyDefinition PrivateIdentifier StaticBlock Super MetaProperty Identifier Literal ChainExpression ParenthesizedExpression PrivateInExpression ImportDeclaration ImportSpecifier ImportDefaultSpecifier ImportNamespaceSpecifier ImportAttribute ImportExpression ExportNamedDeclaration ExportDefaultDeclaration ExportAllDeclaration ExportSpecifier TSAsExpression TSNonNullExpression TSSatisfiesExpression TSTypeAssertion",
);

/** Expressions that are a number, whatever is in them. */
const COMPUTES = /^(?:[-*/%|&^]|<<|>>>?|\*\*)$/;

/** Names that never hold anything but a number. */
export function numbersOf(visits: readonly Visit[]): ReadonlySet<string> {
  const found = new Set<string>();
  const other = new Set<string>();
  for (const { node, parent, key } of visits) {
    if (node.type === "Identifier" && isBindingPlace(parent, key)) {
      const init = parent?.type === "VariableDeclarator" && key === "id" ? (parent["init"] as Node | null) : null;
      (init && isNumber(init, new Set()) ? found : other).add(String(node["name"]));
    }
    const isSum = node.type === "AssignmentExpression" && node["operator"] !== "+=" && COMPUTES.test(String(node["operator"]).slice(0, -1));
    if (node.type !== "UpdateExpression" && !isSum && !isNumberAdded(node)) for (const name of assignedNames(node)) other.add(name);
  }
  return new Set([...found].filter((name) => !other.has(name)));
}

function isNumberAdded(node: Node): boolean {
  return node.type === "AssignmentExpression" && node["operator"] === "+=" && isNumber(node["right"] as Node, new Set());
}

export function isNumber(node: Node, numbers: ReadonlySet<string>): boolean {
  if (node.type === "Literal") return typeof node["value"] === "number";
  if (node.type === "UpdateExpression") return true;
  if (node.type === "UnaryExpression") return /^[-+~]$/.test(String(node["operator"]));
  if (node.type === "Identifier") return numbers.has(String(node["name"]));
  if (node.type !== "BinaryExpression") return false;
  const isSum = node["operator"] === "+" && isNumber(node["left"] as Node, numbers) && isNumber(node["right"] as Node, numbers);
  return isSum || COMPUTES.test(String(node["operator"]));
}

// What is known of the language and its modules.

export const isOfFiles = (name: string): boolean => /^fs(?:[./]|$)/.test(name);

export const moduleName = (specifier: string): string =>
  specifier
    .replace(/^node:/, "")
    .replace("fs/promises", "fs.promises")
    .replace("path/posix", "path");

/** What they tell of a file follows from its bytes, or from its being there. */
export const READS: ReadonlySet<string> = set(
  "readFile readFileSync createReadStream exists existsSync access accessSync readJson readJsonSync readJSON readJSONSync pathExists pathExistsSync readTextFile readTextFileSync file",
);
/** Those that mean nothing else, whatever they are called on. */
export const ALWAYS_READS: RegExp =
  /^(?:readFile(?:Sync)?|createReadStream|existsSync|l?statSync|accessSync|readJ[sS][oO][nN](?:Sync)?|pathExists(?:Sync)?|readTextFile(?:Sync)?|openAsBlob|readdir(?:Sync)?|opendir(?:Sync)?|openSync)$/;
/** They make a file, or write over one. */
export const WRITES: RegExp = /^(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream)$/;
/** They ask for more: its times, its rights, where a link leads. */
export const LOOKS_AT: RegExp = /^(?:l?stat|realpath|readlink|copyFile|cp|openAsBlob)(?:Sync)?$/;
/** They work on what is open already. */
export const ON_OPEN_FILES: RegExp = /^(?:read|readSync|readv\w*|write|writeSync|writev\w*|close|closeSync|fsync\w*|fdatasync\w*)$/;
/** Modules of the language that load and read nothing by themselves; `fs`, `child_process` and `process` are looked at. */
export const HARMLESS: ReadonlySet<string> = set(
  "assert async_hooks buffer console constants crypto dgram diagnostics_channel dns events fs fs/promises http http2 https net os path path/posix perf_hooks process punycode querystring readline readline/promises stream stream/promises stream/web string_decoder timers timers/promises tls tty url util util/types zlib child_process assert/strict dns/promises",
);
/** They reach other processes by a socket, which may be a file. */
export const SOCKETS: ReadonlySet<string> = set("net tls http http2 https dgram");
/** Ways to code that no import names. */
export const LOADERS: ReadonlySet<string> = set(
  "createRequire Worker loadEnvFile getBuiltinModule binding _linkedBinding dlopen mainModule register registerHooks setupMaster setupPrimary SharedWorker importScripts Reflect Proxy eval Function WebAssembly _load _compile _extensions constructor __proto__ __defineGetter__ __lookupGetter__ runInThisContext runInNewContext compileFunction setEngine getPrototypeOf getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols __lookupSetter__",
);
export const RUNTIME_HARMLESS: ReadonlySet<string> = set(
  "argv args env stdin stdout stderr exit version main cwd write writeSync writeFile writeTextFile writeTextFileSync writeFileSync sleep sleepSync hash password nanoseconds which pid ppid build inspect isTTY noColor hostname osRelease memoryUsage escapeHTML deepEquals",
);
export const PROCESS: ReadonlySet<string> = set(
  "argv argv0 env stdin stdout stderr exit exitCode cwd pid ppid platform arch version versions release hrtime nextTick on once off addListener removeListener emit emitWarning memoryUsage uptime execPath execArgv kill umask getuid geteuid getgid title abort features resourceUsage cpuUsage setUncaughtExceptionCaptureCallback stdin.fd",
);
/** Those that load what their first argument names. */
export const LOADS_BY_VALUE: ReadonlySet<string> = set(
  "getBuiltinModule createRequire Worker loadEnvFile dlopen register _load eval Function runInThisContext runInNewContext",
);
/** Said by `loads`; the others of `LOADERS` count where it must be known what runs. */
export const SAID: ReadonlySet<string> = set(
  "createRequire Worker loadEnvFile getBuiltinModule binding _linkedBinding dlopen mainModule register registerHooks setupMaster setupPrimary SharedWorker importScripts Reflect Proxy _load",
);
/** What a script may use without having made it. */
export const GLOBALS: ReadonlySet<string> = set(
  "AbortController AbortSignal Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob Boolean BroadcastChannel Buffer Bun DOMException DataView Date Deno Error EvalError Event EventTarget File FinalizationRegistry Float32Array Float64Array FormData Headers Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math MessageChannel NaN Number Object Promise RangeError ReferenceError RegExp Request Response Set SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet __dirname __filename atob btoa clearImmediate clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI encodeURIComponent escape exports fetch isFinite isNaN module parseFloat parseInt performance process queueMicrotask require setImmediate setInterval setTimeout structuredClone undefined unescape",
);
export const STARTS_OTHERS: RegExp = /^(?:execa|zx|shelljs|cross-spawn|tinyexec|nano-spawn|tinyspawn|vm)(?:[./]|$)/;
