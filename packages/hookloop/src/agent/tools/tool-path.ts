import path from "node:path";
import type { ToolContext } from "./types.ts";

/** The path a tool means: absolute, with `~` for the home folder, without `..`. */
export function toolPath(given: string, { cwd, home }: Pick<ToolContext, "cwd" | "home">): string {
  const expanded = given === "~" || given.startsWith("~/") ? path.join(home, given.slice(1)) : given;
  return path.resolve(cwd, expanded);
}

/** The same input with the path in one of its fields made absolute; a field that is not there stays away. */
export function withPath<Field extends string>(
  field: Field,
): <Input extends { readonly [Name in Field]?: string }>(input: Input, context: ToolContext) => Input {
  return (input, context) => {
    const given = input[field];
    return typeof given === "string" ? { ...input, [field]: toolPath(given, context) } : input;
  };
}
