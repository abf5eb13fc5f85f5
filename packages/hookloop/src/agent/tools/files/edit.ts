import { counted } from "../../../diagnostic.ts";
import { diffHunks } from "../../../line-diff.ts";
import { withPath } from "../tool-path.ts";
import { type CatalogueTool, ToolFailure } from "../types.ts";
import { type Replacement, replaceText } from "./replace-text.ts";
import { readForEdit } from "./text-file.ts";
import { writeText } from "./write-text.ts";

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

/** What the tool tells a model, in the words of people. */
const FOR_PEOPLE: readonly (readonly [RegExp, string])[] = [
  [/^old_string was not found in (.*?)\. Read the file again.*$/s, "The text to replace is not in $1."],
  [
    /^old_string was found (\d+) times in (.*?)\. Give more.*$/s,
    "The text to replace is $1 times in $2, and it is not said which one is meant.",
  ],
  [/^old_string and new_string are the same.*$/s, "The old text and the new one are the same."],
  [/^old_string is empty.*$/s, "It does not say which text to replace."],
];

/** Why this edit of a file cannot be made as the file is now, for people; nothing if it can, or is no edit. */
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
