import { randomBytes } from "node:crypto";
import { withPath } from "../tool-path.ts";
import { type CatalogueTool, ToolFailure } from "../types.ts";
import { readForEdit } from "./text-file.ts";
import { writeText } from "./write-text.ts";

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
