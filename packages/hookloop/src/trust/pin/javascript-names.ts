// Takes the syntax of a JavaScript or TypeScript file; gives what its names stand for: members of modules, and texts that are known before it runs.

import { UNKNOWN } from "../../shell/index.ts";
import { ADDRESS, CALLED, called, isMisleading, knownValue, PROJECT } from "./code-reader.ts";
import * as js from "./parse-javascript.ts";

type Node = js.Node;
type Visit = js.Visit;

export class JavascriptNames {
  /** Names and the only value that they ever have. */
  readonly #constants = new Map<string, Node>();
  readonly declared: Set<string> = new Set();
  /** Names that stand for something of a module. */
  readonly bound: Map<string, string> = new Map();
  /** Names of lists and objects that stay in the module, and of numbers. */
  readonly own: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly #waiting = new Set<string>();
  readonly #say: (node: Node, what: string) => void;

  /** `say`: of a place where more may be read. */
  constructor(visits: readonly Visit[], say: (node: Node, what: string) => void) {
    this.#say = say;
    this.own = js.ownNames(visits);
    this.numbers = js.numbersOf(visits);
    this.#bindAll(visits);
  }

  #bindAll(visits: readonly Visit[]): void {
    const times = new Map<string, number>();
    const candidates = new Map<string, Node>();
    const other = new Set<string>();
    for (const { node, parent, key } of visits) {
      if (node.type === "ImportDeclaration") this.#bindImport(node);
      if (node.type === "VariableDeclarator") this.#bindPattern(node, candidates);
      const isBinding = node.type === "Identifier" && js.isBindingPlace(parent, key);
      if (isBinding) {
        const name = node["name"] as string;
        this.declared.add(name);
        times.set(name, (times.get(name) ?? 0) + 1);
      }
      for (const name of js.assignedNames(node)) other.add(name);
      if (node.type === "AssignmentExpression" && /_PROJECT_DIR$|^HOME$/.test(js.lastName(node["left"] as Node))) {
        this.#say(node, "sets a folder");
        other.add("*");
      }
    }
    if (other.has("*")) return;
    for (const [name, init] of candidates) if (times.get(name) === 1 && !other.has(name)) this.#constants.set(name, init);
  }

  #bindImport(node: Node): void {
    if (node["importKind"] === "type") return;
    const module = js.moduleName(String((node["source"] as Node)["value"]));
    for (const specifier of node["specifiers"] as readonly Node[]) {
      const local = String((specifier["local"] as Node)["name"]);
      const imported = specifier["imported"] as Node | undefined;
      const member = imported === undefined ? "default" : String(imported["name"] ?? imported["value"]);
      this.bound.set(local, member === "default" || specifier.type === "ImportNamespaceSpecifier" ? module : `${module}.${member}`);
    }
  }

  #bindPattern({ id, init }: Node, candidates: Map<string, Node>): void {
    const [target, value] = [id as Node, init as Node | null];
    if (!value) return;
    if (target.type === "Identifier") candidates.set(target["name"] as string, value);
    const module = this.moduleOf(value);
    if (module === undefined) return;
    if (target.type === "Identifier") this.bound.set(target["name"] as string, module);
    if (target.type !== "ObjectPattern") return;
    for (const property of target["properties"] as readonly Node[]) {
      const [key, local] = [property["key"] as Node | undefined, property["value"] as Node | undefined];
      if (property.type === "Property" && property["computed"] === false && key && local?.type === "Identifier")
        this.bound.set(local["name"] as string, `${module}.${String(key["name"] ?? key["value"])}`);
      else this.#say(property, module);
    }
  }

  /** `require("fs")`, `await import("fs")`, a name that stands for one, members of them, `promisify` of one. */
  moduleOf(node: Node): string | undefined {
    if (node.type === "AwaitExpression") return this.moduleOf(node["argument"] as Node);
    if (js.isWrapper(node)) return this.moduleOf(node["expression"] as Node);
    if (node.type === "Identifier") return this.bound.get(node["name"] as string);
    if (node.type === "ImportExpression") return js.literalOf(node["source"] as Node, js.moduleName);
    if (node.type === "MemberExpression" && node["computed"] === false) {
      const module = this.moduleOf(node["object"] as Node);
      return (
        module &&
        `${module}.${String((node["property"] as Node)["name"])}`.replace(/^fs\.promises/, "fs.promises").replace(/\.default$/, "")
      );
    }
    if (node.type !== "CallExpression") return undefined;
    const [first] = node["arguments"] as readonly Node[];
    const callee = node["callee"] as Node;
    if (callee.type === "Identifier" && callee["name"] === "require" && first) return js.literalOf(first, js.moduleName);
    const isWrapped = /^(?:util\.)?promisify$/.test(this.moduleOf(callee) ?? String(callee["name"] ?? ""));
    return isWrapped && first ? this.moduleOf(first) : undefined;
  }

  /** The dotted name that an expression has, with what its beginning stands for. */
  nameOf(node: Node): string | undefined {
    if (js.isWrapper(node)) return this.nameOf(node["expression"] as Node);
    if (node.type === "MetaProperty") return "import.meta";
    if (node.type === "ThisExpression") return "this";
    if (node.type === "Identifier") return this.bound.get(node["name"] as string) ?? this.#ownName(node["name"] as string);
    const module = this.moduleOf(node);
    if (module !== undefined || node.type !== "MemberExpression") return module;
    const object = this.nameOf(node["object"] as Node);
    const property = node["property"] as Node;
    const member = node["computed"] === false ? String(property["name"]) : js.literalOf(property, (text) => text);
    return object === undefined || member === undefined ? undefined : `${object}.${member}`;
  }

  /** SECURITY: what the script has made itself is not the module of that name. */
  #ownName(name: string): string {
    return this.declared.has(name) && (js.OF_MODULES.has(name) || knownValue(name) !== undefined) ? `its own ${name}` : name;
  }

  /** What an expression comes to; what is known only when it runs is `UNKNOWN`. */
  value(node: Node | undefined): string {
    if (!node) return UNKNOWN;
    if (node.type === "AwaitExpression") return this.value(node["argument"] as Node);
    if (js.isWrapper(node)) return this.value(node["expression"] as Node);
    if (node.type === "Literal") return js.literalOf(node, (text) => (isMisleading(text) ? UNKNOWN : text)) ?? UNKNOWN;
    if (node.type === "TemplateLiteral") return this.#template(node);
    if (node.type === "BinaryExpression" && node["operator"] === "+")
      return this.#part(node["left"] as Node) + this.#part(node["right"] as Node);
    if (node.type === "LogicalExpression") return this.#either(node);
    if (node.type === "Identifier" || node.type === "MemberExpression" || node.type === "MetaProperty") return this.#named(node);
    if (node.type === "CallExpression" || node.type === "NewExpression") return this.#called(node);
    return UNKNOWN;
  }

  #template(node: Node): string {
    const [quasis, expressions] = [node["quasis"] as readonly Node[], node["expressions"] as readonly Node[]];
    return quasis.map((quasi, at) => `${cookedOf(quasi)}${at < expressions.length ? this.#part(expressions[at]) : ""}`).join("");
  }

  /** An address becomes another text than the path that it stands for. */
  #part(node: Node | undefined): string {
    const value = this.value(node);
    return value.includes(ADDRESS) ? UNKNOWN : value;
  }

  /** A folder that hooks are always given needs no other. */
  #either(node: Node): string {
    const [left, right] = [this.value(node["left"] as Node), this.value(node["right"] as Node)];
    return node["operator"] !== "&&" && (left === right || left.startsWith(PROJECT)) ? left : UNKNOWN;
  }

  #named(node: Node): string {
    const name = this.nameOf(node);
    const known = name === undefined ? undefined : knownValue(name);
    if (known !== undefined) return known;
    if (/^\w+\.tool_input\.(?:file_path|path|notebook_path)$/.test(name ?? "") && this.#isEvent((name ?? "").split(".")[0] ?? ""))
      return CALLED;
    if (node.type === "MemberExpression") return called(name ?? "", [], this.value(node["object"] as Node)) ?? UNKNOWN;
    if (node.type !== "Identifier") return UNKNOWN;
    const own = node["name"] as string;
    const init = this.#constants.get(own);
    if (!init || this.#waiting.has(own)) return UNKNOWN;
    this.#waiting.add(own);
    const value = this.value(init);
    this.#waiting.delete(own);
    return value;
  }

  /** `const input = JSON.parse(readFileSync(0, "utf8"))` */
  #isEvent(name: string): boolean {
    const init = this.#constants.get(name);
    const [given, reviver] = (init?.type === "CallExpression" ? init["arguments"] : []) as readonly Node[];
    if (!init || !given || reviver || this.nameOf(init["callee"] as Node) !== "JSON.parse" || given.type !== "CallExpression") return false;
    const [input] = given["arguments"] as readonly Node[];
    return this.nameOf(given["callee"] as Node) === "fs.readFileSync" && /^(?:0|\/dev\/stdin)$/.test(this.value(input));
  }

  #called(node: Node): string {
    const callee = node["callee"] as Node;
    const values = (node["arguments"] as readonly Node[]).map((one) => (one.type === "SpreadElement" ? UNKNOWN : this.value(one)));
    const receiver = callee.type === "MemberExpression" ? this.value(callee["object"] as Node) : "";
    const name = this.nameOf(callee) ?? (callee.type === "MemberExpression" ? `.${js.lastName(callee)}` : "");
    return called(`${name}()`, values, receiver) ?? UNKNOWN;
  }

  constantOf(node: Node): Node {
    return node.type === "Identifier" ? (this.#constants.get(node["name"] as string) ?? node) : node;
  }
}

function cookedOf(quasi: Node): string {
  const { cooked } = quasi["value"] as { cooked?: string };
  return cooked === undefined || isMisleading(cooked) ? UNKNOWN : cooked;
}
