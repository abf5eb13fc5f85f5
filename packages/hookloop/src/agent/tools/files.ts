import { isUtf8 } from "node:buffer";
import { randomBytes, randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { counted } from "../../diagnostic.ts";
import { diffHunks } from "../../line-diff.ts";
import { isStillTarget } from "../../permissions/index.ts";
import { makeFolders } from "../../state-files.ts";
import { type CatalogueTool, type ToolContext, ToolFailure, withPath } from "./types.ts";

/** Beyond this a file is not for reading into a conversation. */
const LARGEST_FILE = 64 * 1024 * 1024;

export function readText(file: string): string | undefined {
  return readBytes(file)?.toString();
}

/** The text of a file that will be written back: what is not UTF-8 would come back changed. */
export function readForEdit(file: string): string | undefined {
  const bytes = readBytes(file);
  if (bytes && !isUtf8(bytes)) throw new ToolFailure(`${file} is not UTF-8 text: editing it would damage it.`);
  return bytes?.toString();
}

function readBytes(file: string): Buffer | undefined {
  let fd: number;
  try {
    // O_NONBLOCK: a fifo must not hold the agent.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ToolFailure(`${file} cannot be read: ${systemText(error)}`);
  }
  try {
    const info = fstatSync(fd);
    if (info.isDirectory()) throw new ToolFailure(`${file} is a folder, not a file. List it with Glob or Bash.`);
    if (!info.isFile()) throw new ToolFailure(`${file} is not a regular file.`);
    if (info.size > LARGEST_FILE)
      throw new ToolFailure(`${file} has ${info.size} bytes, too many to read. Use Grep, or Bash with head or sed.`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EEXIST: "a part of its path is not a folder",
  ELOOP: "too many links",
  ENAMETOOLONG: "the name is too long",
};

export function systemText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code && WORDS[code]) ?? message;
}

const MOST_LINES = 2000;
const LONGEST_LINE = 2000;
/** More than this of one file would crowd out the conversation. */
const MOST_CHARACTERS = 100_000;

export const readTool: CatalogueTool<"Read"> = {
  name: "Read",
  description: `Reads a text file. Gives its lines with their numbers, at most ${MOST_LINES} unless limit says otherwise; offset is the first line (1-based).`,
  resolve: withPath("file_path"),
  async run({ file_path, offset: first = 1, limit = MOST_LINES }, { cwd }) {
    if (limit < 1) throw new ToolFailure("limit is the number of lines: at least 1.");
    const offset = Math.max(1, Math.trunc(first));
    const content = readText(file_path);
    if (content === undefined) throw new ToolFailure(`File does not exist. Note: your current working directory is ${cwd}.`);
    if (content.includes("\u0000")) throw new ToolFailure(`${file_path} is not a text file.`);
    // A new line at the end begins another, empty line: so hooks are told how many there are.
    const lines = content.split("\n");
    const shown = fitting(lines.slice(offset - 1, offset - 1 + limit));
    const file = { filePath: file_path, content: shown.join("\n"), numLines: shown.length, startLine: offset, totalLines: lines.length };
    return {
      response: { type: "text", file },
      text: textOf(shown, { offset, total: lines.length, endsWithNewLine: content.endsWith("\n") }),
    };
  },
  textOf(response) {
    const { content, startLine } = (response as { readonly file: { readonly content: string; readonly startLine: number } }).file;
    const lines = content.split("\n");
    return textOf(lines, { offset: startLine, total: startLine - 1 + lines.length, endsWithNewLine: content.endsWith("\n") });
  },
};

/** As many lines as one result may hold; at least one. */
function fitting(lines: readonly string[]): readonly string[] {
  let characters = 0;
  const end = lines.findIndex((line) => {
    characters += Math.min(line.length, LONGEST_LINE);
    return characters > MOST_CHARACTERS;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}

interface Counts {
  readonly offset: number;
  readonly total: number;
  readonly endsWithNewLine: boolean;
}

const EMPTY = "Warning: the file exists but the contents are empty.";

function textOf(shown: readonly string[], { offset, total, endsWithNewLine }: Counts): string {
  if (total === 1 && shown[0] === "") return `<system-reminder>${EMPTY}</system-reminder>`;
  // As people count lines: a new line at the end begins none.
  const own = endsWithNewLine ? total - 1 : total;
  if (shown.length === 0) return `(the file has only ${counted(own, "line")})`;
  const numbered = shown.map((line, index) => `${offset + index}\t${shortened(line)}`);
  const last = offset - 1 + shown.length;
  return last < own
    ? [...numbered, `(lines ${offset} to ${last} of ${own}; read on with offset ${last + 1})`].join("\n")
    : numbered.join("\n");
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… [${line.length - LONGEST_LINE} more characters]` : line;
}

/**
 * Writes a file, with the folders above it: whole or not at all. SECURITY: it goes where the path led when the call was
 * allowed; if a folder on the way has become a link since then, nothing is written.
 */
function writeText(file: string, text: string, { targetOf }: Pick<ToolContext, "targetOf">): void {
  const target = targetOf(file);
  const check = (): void => {
    if (target.problem !== undefined || !isStillTarget(target, { cwd: path.dirname(target.path) }))
      throw new ToolFailure(`${file} was not written: a part of its path has changed since the call was allowed.`);
  };
  check();
  try {
    makeFolders(path.dirname(target.path));
    const old = lstatSync(target.path, { throwIfNoEntry: false });
    if (old && !old.isFile()) throw new ToolFailure(`${file} is not a regular file.`);
    if (old) accessSync(target.path, constants.W_OK);
    if (mayBeReplaced(target.path, old)) replace(target.path, text, old, check);
    else {
      check();
      writeFileSync(target.path, text);
    }
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure(`${file} cannot be written: ${systemText(error)}`);
  }
}

/** A file with other names, or of another user, must stay the file it is; a folder may not take new files. */
function mayBeReplaced(file: string, old: Stats | undefined): boolean {
  if (old && (old.nlink > 1 || old.uid !== process.getuid?.())) return false;
  try {
    accessSync(path.dirname(file), constants.W_OK);
    return true;
  } catch {
    // Then only writing into the file itself is left, and the system says whether that works.
    return false;
  }
}

function replace(file: string, text: string, old: Stats | undefined, check: () => void): void {
  const temporary = path.join(path.dirname(file), `.${randomUUID()}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: "wx", ...(old && { mode: old.mode & 0o7777 }) });
    check();
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

export const writeTool: CatalogueTool<"Write"> = {
  name: "Write",
  description: "Writes a file, over the old one if there is one. Folders above it are made.",
  resolve: withPath("file_path"),
  async run({ file_path, content }, context) {
    const originalFile = readText(file_path) ?? null;
    writeText(file_path, content, context);
    const structuredPatch = originalFile === null ? [] : diffHunks(originalFile, content);
    const type = originalFile === null ? "create" : "update";
    const response = { type, filePath: file_path, content, structuredPatch, originalFile, userModified: false };
    return { response, text: writtenText(response) };
  },
  textOf: (response) => writtenText(response as Written),
};

interface Written {
  readonly type: string;
  readonly filePath: string;
  readonly content: string;
  readonly originalFile: string | null;
}

function writtenText({ type, filePath, content, originalFile }: Written): string {
  if (type === "create") return `File created successfully at: ${filePath}`;
  if (content === originalFile) return `The file ${filePath} already has this content; nothing was changed.`;
  return `The file ${filePath} has been updated successfully.`;
}

interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

/** A replacement in every place can multiply a file: a few edits in a row would fill the memory before anything else has a say. */
const MAX_LENGTH = 10_000_000;

/** The text with one piece of it replaced. Refuses what could hit the wrong place. */
function replaceText(text: string, { old_string: old, new_string: replacement, replace_all: isForAll }: Replacement, file: string): string {
  if (old === replacement) throw new ToolFailure("old_string and new_string are the same: there is nothing to change.");
  if (old === "") throw new ToolFailure("old_string is empty. Use Write for a new file.");
  const count = text.split(old).length - 1;
  if (count === 0) throw new ToolFailure(`old_string was not found in ${file}. Read the file again; blanks and new lines count.`);
  if (count > 1 && !isForAll) {
    throw new ToolFailure(`old_string was found ${count} times in ${file}. Give more of the text around it, or set replace_all.`);
  }
  const length = text.length + count * (replacement.length - old.length);
  if (length > Math.max(MAX_LENGTH, text.length)) {
    throw new ToolFailure(
      `The edit would make ${file} ${length} characters long; more than ${MAX_LENGTH} are not written. Edit fewer places.`,
    );
  }
  // A function, or `$&` in the replacement would mean something.
  return isForAll ? text.replaceAll(old, () => replacement) : text.replace(old, () => replacement);
}

export const editTool: CatalogueTool<"Edit"> = {
  name: "Edit",
  description: "Replaces text in a file. old_string must stand in the file exactly once, unless replace_all is set.",
  // Hooks see what the call means, also where it leaves that out.
  resolve: (input, context) => ({ ...withPath("file_path")(input, context), replace_all: input.replace_all ?? false }),
  async run({ file_path, ...one }, context) {
    const originalFile = existing(file_path);
    const text = replaceText(originalFile, one, file_path);
    writeText(file_path, text, context);
    const structuredPatch = diffHunks(originalFile, text);
    const { old_string: oldString, new_string: newString, replace_all: replaceAll = false } = one;
    const response = { filePath: file_path, oldString, newString, originalFile, structuredPatch, userModified: false, replaceAll };
    return { response, text: editedText(response) };
  },
  textOf: (response) => editedText(response as { readonly filePath: string }),
};

function editedText({ filePath }: { readonly filePath: string }): string {
  return `The file ${filePath} has been updated successfully.`;
}

export const multiEditTool: CatalogueTool<"MultiEdit"> = {
  name: "MultiEdit",
  description: "Makes several replacements in one file, one after the other. Either all of them are made or none.",
  resolve: (input, context) => ({
    ...withPath("file_path")(input, context),
    edits: input.edits.map((edit) => ({ ...edit, replace_all: edit.replace_all ?? false })),
  }),
  async run({ file_path, edits }, context) {
    if (edits.length === 0) throw new ToolFailure("edits is empty: there is nothing to change.");
    const originalFile = existing(file_path);
    const text = edits.reduce((before, one) => replaceText(before, one, file_path), originalFile);
    writeText(file_path, text, context);
    const structuredPatch = diffHunks(originalFile, text);
    const response = { filePath: file_path, edits, originalFile, structuredPatch, userModified: false };
    return { response, text: `Made ${counted(edits.length, "edit")} in ${file_path}.` };
  },
};

/** Messages for the model, rewritten for the user. */
const FOR_PEOPLE: readonly (readonly [RegExp, string])[] = [
  [/^old_string was not found in (.*?)\. Read the file again.*$/s, "The text to replace is not in $1."],
  [
    /^old_string was found (\d+) times in (.*?)\. Give more.*$/s,
    "The text to replace is $1 times in $2, and it is not said which one is meant.",
  ],
  [/^old_string and new_string are the same.*$/s, "The old text and the new one are the same."],
  [/^old_string is empty.*$/s, "It does not say which text to replace."],
];

/** For the user: why this edit cannot be made as the file is now; undefined if it can, or is no edit. */
export function editProblem(tool: string, input: Readonly<Record<string, unknown>>): string | undefined {
  const { file_path: file, edits } = input;
  if ((tool !== "Edit" && tool !== "MultiEdit") || typeof file !== "string") return undefined;
  try {
    const all = (tool === "Edit" ? [input] : Array.isArray(edits) ? edits : []) as readonly Replacement[];
    all.reduce((before, one) => replaceText(before, one, file), existing(file));
    return undefined;
  } catch (thrown) {
    return FOR_PEOPLE.reduce((text, [pattern, plain]) => text.replace(pattern, plain), (thrown as Error).message);
  }
}

function existing(file: string): string {
  const text = readForEdit(file);
  if (text === undefined) throw new ToolFailure(`There is no file ${file}. Use Write for a new one.`);
  return text;
}

interface Cell {
  readonly id?: string;
  readonly cell_type?: string;
  readonly [field: string]: unknown;
}

interface Notebook {
  readonly cells: readonly Cell[];
  readonly [field: string]: unknown;
}

export const notebookEditTool: CatalogueTool<"NotebookEdit"> = {
  name: "NotebookEdit",
  description: "Replaces, inserts (after cell_id, or first) or deletes a cell of a Jupyter notebook.",
  resolve: withPath("notebook_path"),
  async run({ notebook_path: file, new_source, cell_id, cell_type, edit_mode = "replace" }, context) {
    const original = readForEdit(file);
    if (original === undefined) throw new ToolFailure(`There is no notebook ${file}.`);
    const notebook = parse(original, file);
    const at = cell_id === undefined ? -1 : indexOfCell(notebook, cell_id, file);
    if (at === -1 && edit_mode !== "insert") throw new ToolFailure(`Say which cell with cell_id to ${edit_mode} one.`);
    const cells = [...notebook.cells];
    const source = new_source.split(/(?<=\n)/);
    if (edit_mode === "delete") cells.splice(at, 1);
    else if (edit_mode === "insert") cells.splice(at + 1, 0, newCell(cell_type ?? "code", source));
    else cells[at] = { ...withoutOutputs(cells[at] as Cell), ...(cell_type && { cell_type }), source };
    writeText(file, `${JSON.stringify({ ...notebook, cells }, null, 1)}\n`, context);
    const response = { notebook_path: file, new_source, cell_id, cell_type, edit_mode, original_file: original };
    return { response, text: `Did ${edit_mode} one cell of ${file}.` };
  },
};

function parse(text: string, file: string): Notebook {
  let value: Notebook;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ToolFailure(`${file} is not a notebook: ${(error as Error).message}`);
  }
  if (!Array.isArray(value?.cells)) throw new ToolFailure(`${file} is not a notebook: it has no cells.`);
  return value;
}

/** By its id, or by its number for notebooks of versions without ids. */
function indexOfCell({ cells }: Notebook, id: string, file: string): number {
  const byId = cells.findIndex((cell) => cell.id === id);
  const number = /^(?:cell-)?(\d+)$/.exec(id)?.[1];
  const at = byId === -1 && number !== undefined ? Number(number) : byId;
  if (at < 0 || at >= cells.length) throw new ToolFailure(`${file} has no cell ${id}.`);
  return at;
}

function newCell(cell_type: string, source: readonly string[]): Cell {
  const id = randomBytes(4).toString("hex");
  return cell_type === "code"
    ? { cell_type, id, execution_count: null, metadata: {}, outputs: [], source }
    : { cell_type, id, metadata: {}, source };
}

/** What it printed belongs to the old source. */
function withoutOutputs(cell: Cell): Cell {
  return cell.cell_type === "code" ? { ...cell, outputs: [], execution_count: null } : cell;
}
