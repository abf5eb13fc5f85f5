/** Makes shell lines from a grammar: nesting, quoting, here-documents, substitutions, functions, loops, pipes, wrappers, braces, globs. */
import { CARRIERS, EVALUATORS, PAYLOADS } from "./evaluated-lines.ts";
import { PLAIN_WORDS, REDIRECTS, WRAPPERS } from "./line-parts.ts";
import { doubleQuoted, singleQuoted, spelled } from "./quote.ts";
import { Random } from "./random.ts";

/** The programs the lines run; stand-ins that only log what they were given. */
export const PROGRAMS = ["c1", "c2", "c3", "c4", "c5"] as const;
/** Folders that exist, each again in each, as deep as lines go. */
export const FOLDERS = ["d1", "d2"] as const;

/** A line for a seed. Every command in it has a word `w<line>x<number>`, which tells to which line a log entry belongs. */
export function generateLine(line: number, seed: number): string {
  return new Generator(line, new Random(seed)).list(3);
}

class Generator {
  readonly #line: number;
  readonly #random: Random;
  #count = 0;

  constructor(line: number, random: Random) {
    this.#line = line;
    this.#random = random;
  }

  list(depth: number): string {
    const count = 1 + this.#random.below(3);
    let text = this.#statement(depth);
    for (let at = 1; at < count; at++)
      text += this.#random.pick(["; ", "; ", "\n", " && ", " || ", " | ", " |& ", " & "]) + this.#statement(depth);
    return text;
  }

  #statement(depth: number): string {
    if (depth <= 0) return this.#simple(0);
    const inner = depth - 1;
    return this.#random.pick([
      () => this.#simple(inner),
      () => this.#simple(inner),
      () => this.#simple(inner),
      () => this.#simple(inner),
      () => this.#wrapped(inner),
      () => this.#wrapped(inner),
      () => this.#compound(inner),
      () => this.#compound(inner),
      () => this.#variable(inner),
      () => this.#folder(inner),
      () => this.#script(inner),
      () => this.#script(inner),
      () => this.#hereDocument(inner),
      () => (this.#random.below(4) === 0 ? this.#evaluated() : this.#simple(inner)),
    ])();
  }

  /** Quoted text that something evaluates. */
  #evaluated(): string {
    const payload = this.#random.pick(PAYLOADS)(`${this.#random.pick(PROGRAMS)} w${this.#line}x${this.#count++}`);
    const line = this.#random.pick(CARRIERS)(payload, this.#random.pick(EVALUATORS));
    return `{ ${line}\n}`;
  }

  #compound(depth: number): string {
    const body = (): string => `${this.list(depth)}\n`;
    const name = `f${this.#random.below(3)}`;
    return this.#random.pick([
      () => `( ${body()})`,
      () => `{ ${body()}}`,
      () => `{ ${body()}} ${this.#redirect()}`,
      () => `if ${body()}then ${body()}else ${body()}fi`,
      () => `if ${body()}then ${body()}elif ${body()}then ${body()}fi`,
      () => `for v in ${this.#word(depth)} x; do ${body()}done`,
      () => `while ${body()}do ${body()}break; done`,
      () => `until ${body()}do ${body()}break\ndone`,
      () => `for ((i = 0; i < 1; i++)); do ${body()}done`,
      () => `case ${this.#random.pick(["x", '"$(echo x)"', "a"])} in a|x) ${body()};; *) ${body()}esac`,
      () => `${name}() { ${body()}}; ${name} ${this.#word(depth)}`,
      () => `function ${name} { ${body()}}\n${name}`,
      () => `for v in ${this.#random.pick(PROGRAMS)} ${this.#random.pick(PROGRAMS)}; do $v ${this.#mark()} "$v"; ${this.list(depth)}\ndone`,
      () => `for v in a 'b c' "d"; do ${this.#simple(depth)} $v; done`,
      () => `set -- ${this.#random.pick(PROGRAMS)} x; $1 ${this.#mark()} "$2"`,
      () => `a=(${this.#random.pick(PROGRAMS)} y); "\${a[@]}" ${this.#mark()}; ${this.#simple(depth)} "\${a[1]}"`,
      () => `${this.#random.pick(["echo", "cd", "c1", "printf"])}() { command c2 ${this.#mark()} "$@"; }; ${this.list(depth)}`,
      () => `select v in a; do ${body()}break; done <<< 1`,
      () => `case a in (a) ${body()};;& *) ${body()}esac`,
      () => `coproc { ${body()}}; wait`,
      () => `! ${this.#simple(depth)}`,
      () => `time ${this.#simple(depth)}`,
      () => `[[ -n $(${this.list(depth)}) ]]`,
      () => `(( $(${this.#simple(depth)} > /dev/null\necho 1) + 1 ))`,
      () => `${this.#simple(depth)} # ${this.#simple(0).replaceAll("\n", " ")}\n:`,
    ])();
  }

  #simple(depth: number): string {
    const words = Array.from({ length: this.#random.below(3) }, () => this.#word(depth));
    const before = this.#random.below(8) === 0 ? `A=${this.#word(depth)} ` : "";
    const after = this.#random.below(6) === 0 ? ` ${this.#redirect()}` : "";
    const early = this.#random.below(16) === 0 ? `${this.#redirect()} ` : "";
    return [before + early + this.#name(), this.#mark(), ...words].join(this.#random.pick([" ", " ", " ", "  ", "\t", " \\\n "])) + after;
  }

  #name(): string {
    return spelled(this.#random.pick(PROGRAMS), this.#random);
  }

  #mark(): string {
    return spelled(`w${this.#line}x${this.#count++}`, this.#random);
  }

  #redirect(): string {
    return this.#random.pick(REDIRECTS);
  }

  #word(depth: number): string {
    if (depth <= 0 || this.#random.below(3) > 0) return this.#random.pick(PLAIN_WORDS);
    const inner = depth - 1;
    return this.#random.pick([
      () => `$(${this.list(inner)})`,
      () => `"$(${this.list(inner)})"`,
      () => `"a $(${this.#simple(inner)}) '$(${this.#simple(inner)})'"`,
      () => `\`${this.#simple(inner).replace(/[\\`$]/g, "\\$&")}\``,
      () => `\${v:-$(${this.list(inner)})}`,
      () => `"\${v:-\`${this.#simple(0).replace(/[\\`$"]/g, "\\$&")}\`}"`,
      () => `<(${this.list(inner)})`,
      () => `$(( $(${this.#simple(inner)} > /dev/null) + 1 ))`,
      () => `pre{$(${this.#simple(inner)}),x}`,
    ])();
  }

  #wrapped(depth: number): string {
    const wrapper = this.#random.pick(WRAPPERS);
    const inner = this.#simple(depth);
    const plain = inner.startsWith("A=") ? `env ${inner}` : inner;
    if (wrapper.startsWith("find")) return `${wrapper}${this.#name()} ${this.#mark()} {} \\;`;
    return /^[<>&\d]/.test(plain)
      ? `: ${plain}`
      : wrapper + (wrapper.includes("xargs") || this.#random.below(3) > 0 ? plain : `nice ${plain}`);
  }

  #script(depth: number): string {
    const text = this.list(depth);
    const quoted = this.#random.below(2) === 0 ? singleQuoted(text) : doubleQuoted(text);
    return this.#random.pick([
      () => `bash -c ${quoted}`,
      () => `sh -c ${quoted}`,
      () => `bash -ec ${quoted} zero one`,
      () => `bash -c 'c1 "$1" ${`w${this.#line}x${this.#count++}`}' zero one`,
      () => `eval ${quoted}`,
      () => `eval c1 ${this.#mark()} ${singleQuoted(`; ${text}`)}`,
      () => `builtin eval ${quoted}`,
      () => `(trap ${quoted} EXIT)`,
      () => `echo ${singleQuoted(text.replaceAll("\\", ""))} | bash`,
      () => `printf '%s\\n' ${singleQuoted(text)} | bash`,
      () => `bash <<< ${quoted}`,
      () => `timeout 5 bash -c ${quoted}`,
      () => `printf '%s\\n' a b | xargs -n 1 ${this.#random.pick(PROGRAMS)} w${this.#line}x${this.#count++}`,
      () => `echo 'a b' | xargs -I% ${this.#random.pick(PROGRAMS)} w${this.#line}x${this.#count++} x%y`,
      () => `echo ${singleQuoted(text.replaceAll("\\", ""))} | { exec < /dev/null; bash; }`,
      () => `g() { ${text}\n}; export -f g; bash -c g`,
      () => `env bash -c ${quoted}`,
      () => `bash -c "$(printf '%s' ${singleQuoted(text)})"`,
      () => `. <(echo ${singleQuoted(text.replaceAll("\\", ""))})`,
      () => `cat <<< ${quoted} | sh`,
      () => `xargs -0 -I{} bash -c ${quoted} < /dev/null`,
    ])();
  }

  #hereDocument(depth: number): string {
    const text = this.list(depth);
    const end = `E${this.#count++}`;
    return this.#random.pick([
      () => `{ bash <<'${end}'\n${text}\n${end}\n}`,
      () => `{ sh -s <<\\${end}\n${text}\n${end}\n}`,
      () => `{ bash <<${end}\n${this.#simple(0)} $(${this.#simple(0)})\n${end}\n}`,
      () => `{ cat <<'${end}' | bash\n${text}\n${end}\n}`,
      () => `{ cat <<${end} > o4\n$(${text})\n${end}\n}`,
      () => `{ cat > o4 <<'${end}'\n${text}\n${end}\n}`,
      () => `{ bash <<-${end}\n\t${this.#name().replaceAll("\n", "\n")} w${this.#line}x${this.#count++} 'a b'\n\t${end}\n}`,
      () => `{ ${this.#name()} ${this.#mark()} <<A <<'B'\n$(${this.#simple(0)})\nA\n${this.#simple(0)}\nB\n}`,
    ])();
  }

  #variable(depth: number): string {
    const name = this.#random.pick(["v", "p", "q"]);
    const program = this.#random.pick(PROGRAMS);
    return this.#random.pick([
      () => `${name}=${program}; $${name} ${this.#mark()}`,
      () => `${name}=${program} && "\${${name}}" ${this.#mark()}`,
      () => `${name}='${program} ${`w${this.#line}x${this.#count++}`} z'; $${name}`,
      () => `export ${name}=${program}; ${this.#statement(depth)}; $${name} ${this.#mark()}`,
      () => `${name}=c; ${name}+=1; $${name} ${this.#mark()}`,
      () => `${name}=${program}; ${this.#compoundAssign(name, depth)}; $${name} ${this.#mark()}`,
      () => `${name}=; $${name} ${program} ${this.#mark()} $${name}`,
      () => `{${program},w${this.#line}x${this.#count++},y}`,
      () => `${program}$IFS${`w${this.#line}x${this.#count++}`}\${IFS}y`,
      () => `${name}=d1; ${program} ${this.#mark()} "$${name}"/x $${name}*`,
      () => `${name}=${program}; eval "$${name} ${`w${this.#line}x${this.#count++}`}"`,
      () => `${name}=${program} eval '$${name} ${`w${this.#line}x${this.#count++}`}'`,
      () => `${name}=a; ${program} ${this.#mark()} \${${name}:+b} \${${name}#a} \${#${name}}`,
    ])();
  }

  /** Something that changes a variable, or may. */
  #compoundAssign(name: string, depth: number): string {
    const program = this.#random.pick(PROGRAMS);
    return this.#random.pick([
      () => `if ${this.#simple(depth)}; then ${name}=${program}; fi`,
      () => `true && ${name}=${program}`,
      () => `false && ${name}=${program}`,
      () => `(${name}=${program})`,
      () => `read ${name} <<< ${program}`,
      () => `g() { ${name}=${program}; }; g`,
      () => `for ${name} in ${program}; do :; done`,
      () => `eval ${name}=${program}`,
      () => `printf -v ${name} ${program}`,
      () => `: \${${name}:=${program}} $((${name}x = 1))`,
      () => `unset ${name}; : \${${name}:=${program}}`,
      () => `declare ${name}=${program}`,
      () => `${name}=${program} true`,
      () => `echo ${program} | read ${name}`,
      () => `trap '${name}=${program}' DEBUG`,
      () => `mapfile -t ${name} <<< ${program}`,
    ])();
  }

  #folder(depth: number): string {
    const folder = this.#random.pick(FOLDERS);
    return this.#random.pick([
      () => `cd ${folder}; ${this.#simple(depth)}`,
      () => `cd ${folder} && ${this.#simple(depth)}`,
      () => `(cd ${folder}; ${this.#simple(depth)}); ${this.#simple(depth)}`,
      () => `pushd ${folder} > /dev/null; ${this.#simple(depth)}; popd > /dev/null; ${this.#simple(depth)}`,
      () => `cd "${folder}" | cat; ${this.#simple(depth)}`,
      () => `false && cd ${folder}; ${this.#simple(depth)}`,
      () => `g() { cd ${folder}; }; g; ${this.#simple(depth)}`,
      () => `command cd ${folder}; ${this.#simple(depth)}`,
      () => `eval cd ${folder}; ${this.#simple(depth)}`,
      () => `cd ${folder} & wait; ${this.#simple(depth)}`,
      () => `bash -c 'cd ${folder}'; ${this.#simple(depth)}`,
      () => `cd ./${folder}/..; ${this.#simple(depth)}; cd -; ${this.#simple(depth)}`,
    ])();
  }
}
