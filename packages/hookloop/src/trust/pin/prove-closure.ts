// Takes a hook; follows everything that it runs, by the rules of whatever runs it, and pins each file on the way. What it cannot follow to the
// end is a doubt.
// SECURITY: `trusted` means that there is none. So nothing passes here because it looks harmless: only because it is known.

import { isBuiltin } from "node:module";
import path from "node:path";
import { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "../../shell/index.ts";
import { doubtOfBuiltin, openConstructs } from "./closed-shell.ts";
import { HOME, OWN, PLUGIN, PROJECT, THIS_NODE } from "./code-reader.ts";
import { isInside, type Pinning, realEntry, realPath, shownPath } from "./examine-hook.ts";
import { findProgram, type HashedFile, lookAt } from "./hash-file.ts";
import { isGate, isOfProject } from "./named-code.ts";
import { resolveModule } from "./pin-modules.ts";
import { startedByRun, usesOf } from "./program-uses.ts";
import { BUILTINS, doubtAbout, familyOf, NODE_OPTIONS, PLAIN_VARIABLE, readShell, SHELL_OPTIONS, steeringSet, steers } from "./programs.ts";
import { functionsIn, goesOrEnds, OF_THE_MACHINE, readData, withFolders, wordText } from "./read-data.ts";
import { type JavascriptReads, readJavascript } from "./read-javascript.ts";
import { doubtOfPython } from "./read-python.ts";

export interface ProofTools {
  /** Pins the bytes of a file; nothing if they cannot be. */
  readonly pin: (file: string) => HashedFile | undefined;
  /** Looks for the data that a script of the project reads, and for what its folder decides. */
  readonly read: (file: string, program: string, text: string) => void;
  /** How Node is told to read a file. */
  readonly configure: (script: string, reads: JavascriptReads) => void;
  /** Whether `files` takes in whatever may appear in the folder of a script. */
  readonly isFolderDeclared: (folders: readonly string[]) => boolean;
  /** For people: where `files` can be written. */
  readonly placeOfFiles: string;
  readonly plugin?: string | undefined;
}

/** A text of the shell, and where it is. */
interface Place {
  /** For people. */
  readonly name: string;
  /** The folder that `$(dirname "$0")` means; absent for a command line. */
  readonly own?: string | undefined;
  /** Named by a relative path, which means another file after a `cd`. */
  readonly isRelative?: boolean | undefined;
  /** The folder it runs in. */
  readonly cwd: string;
  /** Other shells than bash may run it. */
  readonly isPosix?: boolean | undefined;
  /** Names that stand for commands which the text, or one that it has loaded, makes itself. */
  readonly functions?: Set<string> | undefined;
  readonly depth: number;
}

const MAX_DEPTH = 12;
const MAX_MODULES = 300;
const MAX_MANIFEST = 1024 * 1024;

export function proveHook(pinning: Pinning, tools: ProofTools): void {
  const { target, source } = pinning.examination.hook;
  const prover = new Prover(pinning, tools);
  if (target.kind === "command" && target.args === undefined)
    prover.shell(target.command, { name: "its command line", cwd: pinning.cwd, depth: 0, isPosix: target.shell !== "bash" });
  if (target.kind === "command" && target.args !== undefined) prover.argv([target.command, ...target.args]);
  if (target.kind === "module") {
    const base = source.file === undefined ? source.root : path.dirname(source.file);
    prover.javascript(path.resolve(base, String(target.fields["path"])), { isOfEngine: true, cwd: pinning.cwd });
  }
}

class Prover {
  readonly #pinning: Pinning;
  readonly #tools: ProofTools;
  readonly #seen = new Set<string>();
  #modules = 0;

  constructor(pinning: Pinning, tools: ProofTools) {
    this.#pinning = pinning;
    this.#tools = tools;
  }

  #doubt(text: string): void {
    this.#pinning.unresolved.add(text.replaceAll(UNKNOWN, "…"));
  }

  // Texts of the shell.

  shell(text: string, place: Place): void {
    if (place.depth > MAX_DEPTH) return void this.#doubt("it starts scripts in scripts, deeper than is followed");
    const put = this.#putFolders(text, place);
    const reading = readShell(put);
    for (const { text: doubt } of reading.doubts) this.#doubt(`${place.name}: ${doubt}`);
    this.#constructs(put, place, reading);
    for (const name of [...steeringSet(put), ...reading.sets.filter((one) => one !== UNKNOWN && steers(one))])
      this.#doubt(`${place.name} sets ${name}, which decides what is found and run`);
    if (place.isRelative && put.includes(OWN) && reading.commands.some(({ folder }) => folder !== undefined && !folder.startsWith(OWN)))
      this.#doubt(`${place.name} looks beside itself after it has gone to another folder`);
    if (text.includes("--show-toplevel")) this.#repository(place);
    const functions = place.functions ?? new Set<string>();
    for (const name of functionsIn(put)) {
      functions.add(name);
      if (BUILTINS.has(name) || familyOf(name) || usesOf(name, []))
        this.#doubt(`${place.name} makes ${name} itself, which is the name of a program`);
    }
    const isAny = (names: RegExp): boolean => reading.commands.some(({ words }) => names.test(words[0]?.text ?? ""));
    if ((place.functions || isAny(/^trap$/)) && isAny(/^(?:cd|pushd|popd)$/))
      this.#doubt(`${place.name} goes to another folder, so what relative names mean behind it is not known`);
    const isGone = goesOrEnds(put, reading);
    for (const command of reading.commands) if (command.repeats === undefined || !isGone) this.#command(command, { ...place, functions });
  }

  #constructs(text: string, { name, isPosix = false, functions }: Place, { commands }: ShellReading = readShell(text)): void {
    const isShared = functions !== undefined || commands.some(({ words }) => /^(?:\.|source)$/.test(words[0]?.text ?? ""));
    for (const what of openConstructs(text, { isPosix, isShared })) this.#doubt(`${name} has ${what}: what that does is not followed`);
  }

  /** `git rev-parse --show-toplevel` stands for the project only where the repository begins there. */
  #repository({ name }: Place): void {
    const { projectRoot, checkout, implied, surroundings } = this.#pinning;
    const { kind } = lookAt(path.join(projectRoot, ".git"));
    implied.add(path.join(projectRoot, ".git"));
    surroundings["the repository"] = kind === "missing" ? "is not there" : "is there";
    if (checkout !== projectRoot) this.#doubt(`${name} asks git for its folder, which is not that of the project`);
  }

  argv(words: readonly string[]): void {
    const { variables } = this.#pinning.examination;
    const put = words.map((word) => word.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole));
    const [name = "", ...operands] = put;
    this.#program(name, operands, {
      place: { name: "its command line", cwd: this.#pinning.cwd, depth: 0 },
      folder: this.#pinning.cwd,
      isArgv: true,
    });
  }

  /** Puts names in the place of the folders that are known before it runs. */
  #putFolders(text: string, place: Place): string {
    const { variables } = this.#pinning.examination;
    const odd = Object.entries(variables).filter(([, value]) => /[\s*?[\]\\]/.test(value));
    for (const [name] of odd)
      if (new RegExp(`(?<!")\\$(?:${name}\\b|\\{${name}\\})`).test(text))
        this.#doubt(`${place.name} has $${name} without quotes, and the path of that folder has blanks in it`);
    const put = withFolders(text);
    return place.own === undefined && put.includes(OWN) ? put.replaceAll(OWN, "$unknown") : put;
  }

  /** The text of a word with real folders in it; `UNKNOWN` where only the running shell knows. */
  #word(word: ShellWord, place: Place): string {
    return this.#real(wordText(word), place);
  }

  #real(text: string, { own }: Place): string {
    const { projectRoot, examination } = this.#pinning;
    const folders: readonly (readonly [string, string | undefined])[] = [
      [PROJECT, examination.place.projectRoot ?? projectRoot],
      [OWN, own],
      [HOME, examination.place.home],
      [PLUGIN, this.#tools.plugin],
    ];
    return folders.reduce((put, [mark, folder]) => (put.includes(mark) ? put.replaceAll(mark, folder ?? UNKNOWN) : put), text);
  }

  #command(command: ShellCommand, place: Place): void {
    const [name, ...operands] = command.words.map((word) => this.#word(word, place));
    const folder = command.folder === undefined ? place.cwd : path.resolve(place.cwd, this.#real(command.folder, place));
    for (const { name: variable } of command.assignments)
      if (name !== undefined && !PLAIN_VARIABLE.test(variable)) this.#doubt(`${place.name} sets ${variable} for what it starts`);
    if (name === undefined) return;
    // A name that is a program as well runs that before the function is made.
    if (place.functions?.has(name) && this.#find(name, folder) === undefined) return;
    if (name.includes(UNKNOWN))
      return void this.#doubt(`${place.name} starts ${command.words[0]?.source ?? name}, which is known only when it runs`);
    if (BUILTINS.has(name)) return void this.#builtin(name, operands, { folder, place });
    const stdin = command.stdin?.kind === "text" ? command.stdin.text : undefined;
    this.#program(name, operands, { place, folder, stdin });
  }

  #builtin(name: string, operands: readonly string[], { folder, place }: { readonly folder: string; readonly place: Place }): void {
    if (name === "." || name === "source") return void this.#source(operands[0], folder, place);
    const doubt = doubtOfBuiltin(name, operands, place.isPosix === true);
    if (doubt !== undefined) this.#doubt(`${place.name}: ${doubt.replace("  ", " ")}`);
    const action = name === "trap" ? operands.find((word) => word !== "--") : undefined;
    if (action !== undefined && !/^-/.test(action)) this.#constructs(action.replaceAll(UNKNOWN, "x"), place);
  }

  #source(word: string | undefined, folder: string, place: Place): void {
    if (word === undefined || word.includes(UNKNOWN) || folder.includes(UNKNOWN))
      return void this.#doubt(`${place.name} loads a file whose name is known only when it runs`);
    // Without a slash it is looked for in PATH first.
    if (!word.includes("/")) return void this.#doubt(`${place.name} loads ${word}, which is looked for in PATH: write ./${word}`);
    this.#shellFile(path.resolve(folder, word), {
      named: word,
      cwd: folder,
      depth: place.depth,
      sourcedBy: place,
      isPosix: place.isPosix,
    });
  }

  #shellFile(
    file: string,
    {
      named,
      cwd,
      depth,
      sourcedBy,
      isPosix = true,
    }: Pick<Place, "cwd" | "depth" | "isPosix"> & { readonly named: string; readonly sourcedBy?: Place | undefined },
  ): void {
    const text = this.#text(file, named);
    if (text === undefined || this.#isSeen(`shell ${isPosix} ${file} ${cwd}`)) return;
    const own = path.dirname(file);
    const name = shownPath(this.#pinning.root, file);
    if (sourcedBy && sourcedBy.own !== own && /\$\{?0\b/.test(text))
      return void this.#doubt(`${name} asks for the folder of the script that loads it`);
    this.#tools.read(file, "bash", text);
    this.#moved("shell", { text, name, cwd });
    this.shell(text, { name, own, isRelative: !path.isAbsolute(named), cwd, functions: sourcedBy?.functions, depth: depth + 1, isPosix });
  }

  /** SECURITY: what a gate reads by a relative name was looked for in the folder that the hook runs in. */
  #moved(
    family: "shell" | "javascript",
    { text, name, cwd }: { readonly text: string; readonly name: string; readonly cwd: string },
  ): void {
    if (cwd === this.#pinning.cwd || !isGate(this.#pinning)) return;
    if (readData(family, text).names.some((one) => !path.isAbsolute(one)))
      this.#doubt(`${name} runs in another folder, and what it reads by a relative name there is not pinned`);
  }

  #isSeen(key: string): boolean {
    const isSeen = this.#seen.has(key);
    this.#seen.add(key);
    return isSeen;
  }

  /** The text of a file that runs, with its bytes pinned. */
  #text(file: string, named: string): string | undefined {
    const { unresolved, missing, root, implied, examination } = this.#pinning;
    implied.add(file);
    const found = lookAt(file);
    if (found.kind === "missing") missing.add(named);
    if (found.kind !== "file") return void unresolved.add(found.kind === "missing" ? `${named} is not there` : `${named} is not a file`);
    if (examination.isOfUser && (!path.isAbsolute(named) || isOfProject(this.#pinning, found.realpath)))
      return void unresolved.add(`${named} depends on the folder the session runs in`);
    const text = this.#tools.pin(file)?.text;
    if (text === undefined) unresolved.add(`${shownPath(root, file)} is no text that can be read, so what it loads is not known`);
    return text;
  }

  // Programs.

  #program(name: string, operands: readonly string[], start: Start): void {
    const { place } = start;
    const found = this.#find(name, start.folder);
    if (found === "unknown") return void this.#doubt(`${place.name} starts ${name} in a folder that is known only when it runs`);
    const program = path.basename(name);
    if (found === undefined) {
      if (name.includes("/")) return void this.#text(path.resolve(start.folder, name), name);
      const doubt = familyOf(program) ? undefined : doubtAbout(program, operands);
      return void ((doubt !== undefined || familyOf(program)) && this.#doubt(`${name} is not found in PATH`));
    }
    if (!this.#isOfMachine(found)) return void this.#script(found, name, operands, start);
    const [started, ...words] = startedByRun(program, operands, (file) => this.#text(path.resolve(start.folder, file), file)) ?? [];
    if (started !== undefined) return void this.#program(started, words, { ...start, stdin: undefined });
    if (familyOf(program) && !/^(?:[gmn]?awk)$/.test(program)) return void this.#interpreter(program, operands, start);
    const doubt = doubtAbout(program, operands) ?? this.#unknownReads(program);
    if (doubt !== undefined) this.#doubt(place.depth === 0 ? doubt : `${place.name}: ${doubt}`);
  }

  /** SECURITY: what a gate's program reads may switch the gate off, whatever program it is. */
  #unknownReads(program: string): string | undefined {
    return isGate(this.#pinning) && usesOf(program, []) === undefined
      ? `${program} is no program of which it is known what it reads, so a file may switch the gate off`
      : undefined;
  }

  #find(name: string, folder: string): string | undefined | "unknown" {
    const { examination, checkout, implied, cwd } = this.#pinning;
    if (name.includes("/")) {
      if (!path.isAbsolute(name) && folder.includes(UNKNOWN)) return "unknown";
      if (name === THIS_NODE) return findProgram("node", examination.place.path, cwd);
      return findProgram(name, examination.place.path, folder);
    }
    for (const one of examination.place.path.split(":")) if (isInside(checkout, realPath(one))) implied.add(path.join(one, name));
    return findProgram(name, examination.place.path, cwd);
  }

  /** A program of the machine, as opposed to a script of somebody's. */
  #isOfMachine(file: string): boolean {
    const { projectRoot, checkout, examination } = this.#pinning;
    const [entry, real] = [realEntry(file), realPath(file)];
    if (
      [entry, real].some((one) => isInside(projectRoot, one) || isInside(checkout, one)) &&
      !isInside(checkout, realPath(examination.place.home))
    )
      return false;
    return OF_THE_MACHINE.test(real) || examination.place.path.split(":").includes(path.dirname(file));
  }

  /** A file that is started by its path: its first line says what reads it. */
  #script(file: string, named: string, operands: readonly string[], start: Start): void {
    const { place } = start;
    const text = this.#text(file, named);
    if (text === undefined) return;
    const [, line] = /^#![ \t]*([^\n]*)/.exec(text) ?? [];
    if (line === undefined) return void this.#shellFile(file, { named, cwd: start.folder, depth: place.depth });
    const [interpreter = "", ...given] = line.trim().split(/\s+/);
    const isEnv = path.basename(interpreter) === "env";
    const words = isEnv ? (given[0] === "-S" ? given.slice(1) : given.slice(0, 1)) : [interpreter, ...given];
    const [program = ""] = words;
    if (!path.isAbsolute(interpreter) || /[='"$\\]/.test(words.join(" ")) || (!isEnv && given.length > 1))
      return void this.#doubt(`the first line of ${shownPath(this.#pinning.root, file)} is not one that is known`);
    const found = this.#find(program, start.folder);
    if (found === undefined || found === "unknown" || !this.#isOfMachine(found))
      return void this.#doubt(`${program} is an interpreter of the project, or is not there`);
    this.#interpreter(path.basename(program), [...words.slice(1), file, ...operands], { ...start, stdin: undefined });
  }

  #interpreter(program: string, operands: readonly string[], start: Start): void {
    const family = familyOf(program);
    const isIn = (one: string): string => (path.isAbsolute(one) ? one : path.resolve(start.folder, one));
    if (family === "shell") return void this.#startShell(program, operands, { ...start, at: isIn });
    if (program === "node") return void this.#startNode(operands, { ...start, at: isIn });
    if (family === "python") return void this.#startPython(program, operands, { ...start, at: isIn });
    this.#doubt(`what scripts of ${program} load is not read, so it cannot be pinned`);
  }

  #startShell(program: string, operands: readonly string[], start: Start & { readonly at: (word: string) => string }): void {
    for (let at = 0; at < operands.length; at++) {
      const word = operands[at] ?? "";
      // The reader has looked into code on the line, and has said where it could not.
      if (/^-[euxvfnEBhT]*c[euxvfnEBhT]*$/.test(word)) return void this.#shellCode(operands[at + 1] ?? "", program, start);
      if (SHELL_OPTIONS.test(word)) continue;
      if (/^[-+][euxvfnEBhT]*o$/.test(word) && /^(?:errexit|nounset|pipefail|xtrace|noglob|posix)$/.test(operands[at + 1] ?? "")) at += 1;
      else return void this.#shellOperand(word === "--" ? operands[at + 1] : word, program, start);
    }
    if (start.stdin === undefined || start.stdin.includes(UNKNOWN) || start.isArgv)
      return void this.#doubt(`${program} reads its code from its input`);
    this.#shellCode(start.stdin, program, start);
  }

  /** The reader has looked into it, and has said where it could not, unless it was started without a shell. */
  #shellCode(code: string, program: string, { isArgv, place }: Start): void {
    const inner = { ...place, isPosix: program !== "bash", functions: undefined };
    if (isArgv) this.shell(code, inner);
    else this.#constructs(code, inner);
  }

  #shellOperand(word: string | undefined, program: string, { place, folder, at }: Start & { readonly at: (word: string) => string }): void {
    if (word === undefined) return void this.#doubt(`${program} reads its code from its input`);
    if (/^[-+]/.test(word)) return void this.#doubt(`${program} ${word} may load more than its script`);
    if (word.includes(UNKNOWN) || (folder.includes(UNKNOWN) && !path.isAbsolute(word)))
      return void this.#doubt(`${program} runs a script whose name is known only when it runs`);
    this.#shellFile(at(word), { named: word, cwd: folder, depth: place.depth, isPosix: program !== "bash" });
  }

  #startNode(operands: readonly string[], { place, folder, at, stdin }: Start & { readonly at: (word: string) => string }): void {
    for (const [index, word] of operands.entries()) {
      if (/^(?:-e|-p|-pe|--eval|--print)$/.test(word)) return void this.#inlineCode(operands[index + 1] ?? UNKNOWN, folder, place);
      if (/^--(?:eval|print)=/.test(word)) return void this.#inlineCode(word.replace(/^--\w+=/, ""), folder, place);
      if (NODE_OPTIONS.test(word)) continue;
      if (word === "-") break;
      if (word.startsWith("-")) return void this.#doubt(`node ${word} may load more than its script`);
      if (word.includes(UNKNOWN) || (folder.includes(UNKNOWN) && !path.isAbsolute(word)))
        return void this.#doubt("node runs a script whose name is known only when it runs");
      if (!/\.[cm]?[jt]s$/.test(word))
        return void this.#doubt(`node looks for what ${word} is: name the file with its ending, such as .mjs`);
      return void this.javascript(at(word), { isOfEngine: false, cwd: folder, named: word });
    }
    if (stdin === undefined || stdin.includes(UNKNOWN)) return void this.#doubt("node reads its code from its input");
    this.#inlineCode(stdin, folder, place);
  }

  #inlineCode(code: string, folder: string, place: Place): void {
    if (code.includes(UNKNOWN) || folder.includes(UNKNOWN))
      return void this.#doubt(`${place.name} runs code that is known only when it runs`);
    const reads = readJavascript(code);
    // Both are looked for in whatever folder it runs in.
    if (reads.names.length + reads.tails.length + reads.unknown.length > 0) this.#doubt("the code that node is given reads files");
    if (reads.imports.some(({ specifier }) => !isBuiltin(specifier)))
      return void this.#doubt("the code that node is given loads other files");
    this.#javascriptReads(reads, { file: path.join(folder, "[eval]"), name: "the code that node is given", isOfEngine: false, place });
  }

  /** `files` pins a folder with whatever may appear in it; then the texts in it must be such that nothing else is loaded. */
  #startPython(program: string, operands: readonly string[], { folder, at }: Start & { readonly at: (word: string) => string }): void {
    if (!/^python3/.test(program)) return void this.#doubt(`${program} may be any version of Python, and what it loads is not read`);
    const script = operands.find((word) => !/^-[IsSEBubqO]+$/.test(word));
    if (script === undefined || script.startsWith("-"))
      return void this.#doubt(
        `${program} ${script ?? ""} looks for modules in the folder it runs in, which is not pinned`.replace("  ", " "),
      );
    if (script.includes(UNKNOWN) || folder.includes(UNKNOWN))
      return void this.#doubt(`${program} runs a script whose name is known only when it runs`);
    const file = at(script);
    if (this.#text(file, script) === undefined) return;
    const name = shownPath(this.#pinning.root, file);
    if (!this.#tools.isFolderDeclared([path.dirname(file)]) || path.dirname(realPath(file)) !== realPath(path.dirname(file)))
      return void this.#doubt(
        `${name} is a script of ${program}, whose loading is not read: pin its folder with "files": ["${path.dirname(name)}/**"]${this.#tools.placeOfFiles}`,
      );
    for (const one of this.#pinning.files.keys()) if (isInside(path.dirname(file), one)) this.#pythonModule(one, file);
  }

  #pythonModule(file: string, script: string): void {
    const name = shownPath(this.#pinning.root, file);
    if (/\.(?:pyc|pyo|pyd|so|dylib)$/i.test(file)) return void this.#doubt(`${name} is compiled code, which is not read`);
    if (file !== script && !/\.pyw?$/.test(file)) return;
    const text = this.#tools.pin(file)?.text;
    const doubt = text === undefined ? "its text" : doubtOfPython(text);
    if (doubt !== undefined) this.#doubt(`${name} may load, start or read what is not pinned: ${doubt}`);
  }

  // JavaScript and TypeScript.

  javascript(
    file: string,
    { isOfEngine, cwd, named = file }: { readonly isOfEngine: boolean; readonly cwd: string; readonly named?: string },
  ): void {
    if (this.#isSeen(`javascript ${file} ${cwd}`)) return;
    this.#modules += 1;
    if (this.#modules > MAX_MODULES) return void this.#doubt(`it loads more than ${MAX_MODULES} modules`);
    const text = this.#text(file, named);
    if (text === undefined || file.endsWith(".json")) return;
    const real = realPath(file);
    const reads = readJavascript(text, real);
    this.#tools.configure(real, reads);
    const name = shownPath(this.#pinning.root, file);
    this.#tools.read(file, "node", text);
    this.#moved("javascript", { text, name, cwd });
    this.#javascriptReads(reads, { file: real, name, isOfEngine, place: { name, own: path.dirname(real), cwd, depth: 1 } });
  }

  #javascriptReads(
    { imports, loads, starts, doubts, lines }: JavascriptReads,
    {
      file,
      name,
      isOfEngine,
      place,
    }: { readonly file: string; readonly name: string; readonly isOfEngine: boolean; readonly place: Place },
  ): void {
    for (const one of new Set([...loads, ...starts, ...doubts])) this.#doubt(`${name}, ${one}: what it runs there is not known`);
    for (const line of lines) this.shell(line, { ...place, functions: undefined, depth: place.depth + 1, isPosix: true });
    for (const { specifier, isRequire } of imports) {
      const {
        doubt,
        looked,
        file: found,
        manifest,
        whole,
      } = resolveModule({
        specifier,
        isRequire,
        from: file,
        isOfEngine,
        manifestAt: (one) => this.#manifest(one),
        isSame: (one, other) => this.#isSame(one, other),
      });
      for (const one of looked) this.#pinning.implied.add(one);
      if (doubt !== undefined) this.#doubt(`${name} loads ${specifier}: ${doubt}`);
      for (const one of [...(whole ?? []), ...(manifest === undefined ? [] : [manifest])]) this.#tools.pin(one);
      if (found !== undefined) this.javascript(found, { isOfEngine, cwd: place.cwd });
    }
  }

  #manifest(file: string): Readonly<Record<string, unknown>> | undefined {
    return this.#pinning.look.remember(`manifest ${file}`, () => {
      const found = lookAt(file);
      const hashed = found.kind === "file" ? this.#pinning.look.hash(found, MAX_MANIFEST, this.#whose()) : undefined;
      if (hashed === "over" || hashed?.text === undefined) return undefined;
      try {
        const value: unknown = JSON.parse(hashed.text);
        return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
      } catch {
        // No JSON: Node does not load the package either.
        return undefined;
      }
    });
  }

  #whose(): "user" | "project" {
    return this.#pinning.examination.isOfUser ? "user" : "project";
  }

  #isSame(one: string, other: string): boolean {
    const [a, b] = [one, other].map((file) => {
      const found = lookAt(file);
      const hashed = found.kind === "file" ? this.#pinning.look.hash(found, MAX_MANIFEST, this.#whose()) : undefined;
      return hashed === "over" ? undefined : hashed?.sha256;
    });
    return a !== undefined && a === b;
  }
}

interface Start {
  readonly place: Place;
  readonly folder: string;
  readonly stdin?: string | undefined;
  /** Started without a shell: code on the line was not read yet. */
  readonly isArgv?: boolean | undefined;
}
