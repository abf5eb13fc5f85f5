import { ToolFailure } from "../types.ts";

export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

/** A replacement in every place can multiply a file: a few edits in a row would fill the memory before anything else has a say. */
const MAX_LENGTH = 10_000_000;

/** The text with one piece of it replaced. Refuses what could hit the wrong place. */
export function replaceText(
  text: string,
  { old_string: old, new_string: replacement, replace_all: isForAll }: Replacement,
  file: string,
): string {
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
