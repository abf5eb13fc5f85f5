// Takes the text of a Python file; gives its words, strings and marks without comments, and what an expression that is made
// of literals and known folders comes to. Refuses to guess: what is not known is `UNKNOWN`, and a text that cannot be taken apart gives nothing.

import { UNKNOWN } from "../../shell/index.ts";
import { joined, PROJECT } from "./code-reader.ts";

export interface Token {
  readonly kind: "name" | "text" | "number" | "mark";
  /** Of a string what it holds, `UNKNOWN` in the place of what is not plain. */
  readonly value: string;
  readonly line: number;
}

/** SECURITY: a project writes what it likes; more than this is not taken apart. */
const MAX_TOKENS = 60_000;
const MAX_DEPTH = 60;

/** Nothing if the text is too long, or cannot be taken apart. */
export function tokensOf(text: string): readonly Token[] | undefined {
  const lexer = new Lexer(text);
  return lexer.read() ? lexer.tokens : undefined;
}

const MARK = /(?:=>|\?\?=?|\?\.(?!\d)|\|\|=?|&&=?|[=!]==?|\+\+|--|[-+*/%&|^]=|:=|\.\.\.|\*\*|[^\s\w])/y;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
class Lexer {
  readonly tokens: Token[] = [];
  readonly #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  read(): boolean {
    return this.#readUntil(undefined, 0) && this.tokens.length < MAX_TOKENS;
  }

  /** Up to a bracket that closes what is outside, or the end. */
  #readUntil(close: string | undefined, depth: number): boolean {
    if (depth > MAX_DEPTH) return false;
    let open = 0;
    while (this.#at < this.#text.length && this.tokens.length < MAX_TOKENS) {
      this.#skip();
      if (this.#at >= this.#text.length) break;
      const character = this.#text[this.#at] ?? "";
      if (character === close && open === 0) return true;
      // `{value:>10}` and `{value!r}` of Python: how it is shown.
      if (close !== undefined && open === 0 && /^(?::|!(?!=))/.test(this.#text.slice(this.#at, this.#at + 2)))
        return this.#skipFormat(close);
      if ("({[".includes(character)) open += 1;
      if (")}]".includes(character)) open -= 1;
      if (!this.#readOne(depth)) return false;
    }
    return close === undefined && open <= 0;
  }

  /** What has values of its own inside (`{value:>{width}}`) is not taken apart. */
  #skipFormat(close: string): boolean {
    const end = this.#text.indexOf(close, this.#at);
    if (end < 0 || this.#text.slice(this.#at, end).includes("{")) return false;
    this.#at = end;
    return true;
  }

  #skip(): void {
    this.#match(/(?:\s|\\\n|#[^\n]*)+/y);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    for (const one of found) if (one === "\n") this.#line += 1;
    return found;
  }

  #add(kind: Token["kind"], value: string): true {
    this.tokens.push({ kind, value, line: this.#line });
    return true;
  }

  #readOne(depth: number): boolean {
    const opening = this.#match(/[rRbBuUfF]{0,2}(?:"""|'''|"|')/y);
    if (opening !== undefined) return this.#readText(opening, depth);
    const name = this.#match(NAME);
    if (name !== undefined) return this.#add("name", name);
    const number = this.#match(NUMBER);
    if (number !== undefined) return this.#add("number", number);
    const mark = this.#match(MARK);
    return mark !== undefined && this.#add("mark", mark);
  }

  #readInside(depth: number): boolean {
    this.#add("mark", "+");
    this.#add("mark", "(");
    if (!this.#readUntil("}", depth + 1)) return false;
    this.#at += 1;
    this.#add("mark", ")");
    return this.#add("mark", "+");
  }

  #readText(opening: string, depth: number): boolean {
    const [, prefix = "", quote = '"'] = /^(\w*)(\W+)$/.exec(opening) ?? [];
    const start = this.#at;
    const isFormatted = /f/i.test(prefix);
    const isRaw = /r/i.test(prefix);
    const body = quote.length === 3 ? `(?:(?!${quote})[^\\\\]|\\\\[\\s\\S])*` : `(?:[^${quote}\\\\\\n]|\\\\[\\s\\S])*`;
    const found = this.#match(new RegExp(`${body}${quote}`, "y"));
    if (found === undefined) return false;
    const inside = found.slice(0, -quote.length);
    if (!isFormatted || !inside.includes("{")) return this.#add("text", isRaw ? inside : plain(inside));
    const [end, line] = [this.#at, this.#line];
    this.#at = start;
    const isRead = this.#readFormatted(start + inside.length, depth, line);
    [this.#at, this.#line] = [end, line];
    return isRead;
  }

  #readFormatted(end: number, depth: number, line: number): boolean {
    this.#add("mark", "(");
    while (this.#at < end) {
      const part = this.#match(/(?:[^{}\\]|\\[\s\S]|\{\{|\}\})+/y) ?? "";
      // Lines behind the end are not its own.
      if (this.#at >= end) this.#line = line;
      this.#add("text", plain(part.slice(0, Math.max(0, part.length - Math.max(0, this.#at - end))).replace(/([{}])\1/g, "$1")));
      if (this.#at >= end) break;
      this.#at += 1;
      if (!this.#readInside(depth)) return false;
      if (this.#at >= end) this.#add("text", "");
    }
    return this.#add("mark", ")");
  }
}

/** Of escapes only those that stand for themselves. */
function plain(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, one: string) => (/[\\'"`/$]/.test(one) ? one : one === "n" ? "\n" : UNKNOWN));
}

/** Brackets, each with the one that belongs to it. */
export function matchBrackets(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind, value }] of tokens.entries()) {
    if (kind !== "mark") continue;
    if (/^[({[]$/.test(value)) open.push(index);
    if (!/^[)}\]]$/.test(value)) continue;
    const start = open.pop();
    if (start === undefined) continue;
    found.set(start, index);
    found.set(index, start);
  }
  return found;
}

/** What names and calls come to. */
export interface Meaning {
  /** `process.env.HOME`, `path.join`: a name that was imported stands under that of its module. */
  readonly nameOf: (name: string) => string;
  /** Of a name with its members. */
  readonly valueOf: (name: string) => string | undefined;
  /** `receiver`: of a method what it is called on. */
  readonly call: (name: string, values: readonly string[], receiver: string) => string | undefined;
}

/** Reads expressions of one file. */
export class Expressions {
  readonly tokens: readonly Token[];
  readonly brackets: ReadonlyMap<number, number>;
  readonly #meaning: Meaning;
  #depth = 0;

  constructor(tokens: readonly Token[], meaning: Meaning) {
    this.tokens = tokens;
    this.brackets = matchBrackets(tokens);
    this.#meaning = meaning;
  }

  is(at: number, value: string): boolean {
    const token = this.tokens[at];
    return token?.value === value && token.kind !== "text";
  }

  /** The arguments of the call whose bracket is at `open`. */
  argumentsOf(open: number): readonly string[] {
    return this.ranges(open).map(([start, end]) => this.whole(start, end));
  }

  /** What stands between the commas of a bracket: from, and up to. */
  ranges(open: number): readonly (readonly [number, number])[] {
    const close = this.brackets.get(open) ?? open;
    const found: [number, number][] = [];
    let start = open + 1;
    for (let at = start; at <= close; at++) {
      const inner = this.tokens[at]?.kind === "mark" && /^[({[]$/.test(this.tokens[at]?.value ?? "") ? this.brackets.get(at) : undefined;
      if (inner !== undefined && inner > at) at = inner;
      else if (at === close || this.is(at, ",")) {
        if (at > start) found.push([start, at]);
        start = at + 1;
      }
    }
    return found;
  }

  /** An expression that is all of a range. */
  whole(start: number, end: number): string {
    const { value, next } = this.expression(start);
    return next === end ? value : UNKNOWN;
  }

  /** A part of a longer expression, which ends where a member follows. */
  until(start: number, end: number): string {
    const part = new Expressions(this.tokens.slice(0, end), this.#meaning);
    return part.whole(start, end);
  }

  expression(start: number): { readonly value: string; readonly next: number } {
    this.#depth += 1;
    let { value, next } = this.#depth > MAX_DEPTH ? { value: UNKNOWN, next: this.tokens.length } : this.#primary(start);
    for (let operator = this.#operator(next); operator !== undefined; operator = this.#operator(next)) {
      const right = this.#primary(next + 1);
      value = combined(operator, value, right.value);
      next = right.next;
    }
    this.#depth -= 1;
    return { value, next };
  }

  #operator(at: number): string | undefined {
    const token = this.tokens[at];
    if (!token || token.kind === "text" || token.kind === "number") return undefined;
    return ["+", "/", "or"].includes(token.value) ? token.value : undefined;
  }

  #primary(start: number): { readonly value: string; readonly next: number } {
    const token = this.tokens[start];
    if (token?.kind === "text") {
      // Strings side by side are one.
      let [value, next] = [token.value, start + 1];
      for (; this.tokens[next]?.kind === "text"; next++) value += this.tokens[next]?.value ?? "";
      return this.#members(next, { name: "", value });
    }
    if (token?.kind === "name" && token.value === "await") return this.#primary(start + 1);
    if (token?.kind === "name") {
      const name = this.#meaning.nameOf(token.value);
      return this.#members(start + 1, { name, value: this.#meaning.valueOf(name) ?? UNKNOWN });
    }
    const close = this.is(start, "(") ? this.brackets.get(start) : undefined;
    if (close !== undefined) return this.#members(close + 1, { name: "", value: this.whole(start + 1, close) });
    return { value: UNKNOWN, next: start + 1 };
  }

  /** `.name`, `["name"]` and `(…)` behind something. */
  #members(start: number, from: { readonly name: string; readonly value: string }): { readonly value: string; readonly next: number } {
    let { name, value } = from;
    let receiver = "";
    let at = start;
    for (;;) {
      const close = this.brackets.get(at);
      const member = this.tokens[at + 1];
      if (this.is(at, ".") && member?.kind === "name") {
        [receiver, name] = [value, `${name}.${member.value}`];
        value = this.#meaning.valueOf(name) ?? this.#meaning.call(name, [], receiver) ?? UNKNOWN;
        at += 2;
      } else if (this.is(at, "[") && member?.kind === "text" && close === at + 2) {
        name = `${name}.${member.value}`;
        value = this.#meaning.valueOf(name) ?? UNKNOWN;
        at += 3;
      } else if (this.is(at, "(") && close !== undefined) {
        value = this.#meaning.call(`${name}()`, this.argumentsOf(at), receiver) ?? UNKNOWN;
        name = "";
        at = close + 1;
      } else if (this.is(at, "[") && close !== undefined) [name, value, at] = ["", UNKNOWN, close + 1];
      else return { value, next: at };
    }
  }
}

function combined(operator: string, left: string, right: string): string {
  if (operator === "+") return left + right;
  if (operator === "/") return joined([left, right]);
  // A folder that hooks are always given needs no other.
  return left === right || left.startsWith(PROJECT) ? left : UNKNOWN;
}
