import { PERMISSION_MODES } from "./common.ts";
import { choice, either, type Field, list, optional, shape, text } from "./field.ts";

const DESTINATION = choice(["userSettings", "projectSettings", "localSettings", "session", "cliArg"], "Where the change is kept.");

/** One change of the permission rules, as a question offers it and as a hook may answer it. */
export const PERMISSION_UPDATE: Field = either(
  [
    shape(
      {
        type: choice(["addRules", "replaceRules", "removeRules"], "What to do with the rules."),
        rules: list(
          shape({ toolName: text("The tool."), ruleContent: optional(text("What stands in the rule's brackets.")) }, "One rule."),
          "The rules.",
        ),
        behavior: choice(["allow", "deny", "ask"], "The list they belong to."),
        destination: DESTINATION,
      },
      "Change rules.",
    ),
    shape(
      { type: choice(["setMode"], "Change the mode."), mode: choice(PERMISSION_MODES, "The new mode."), destination: DESTINATION },
      "Change the mode.",
    ),
    shape(
      {
        type: choice(["addDirectories", "removeDirectories"], "Change the working directories."),
        directories: list(text("A directory."), "The directories."),
        destination: DESTINATION,
      },
      "Change directories.",
    ),
  ],
  "One change of the permission rules.",
);
