// A guard as the source of the sampling registry writes it. Only the path of the import is another one.
import { registerHook } from "hookloop/compat/sampling";

async function bashSafetyHook(context, _event) {
  const { command } = context.input;
  if (/rm\s+-rf/.test(command)) {
    return { status: "cancel", reason: "Dangerous command blocked: Attempted root deletion" };
  }
  return { status: "continue" };
}

async function protectedFilesHook(context) {
  if (context.input.file_path.endsWith("secrets.txt")) {
    return { status: "cancel", reason: `${context.tool.name} of a protected file` };
  }
  return { status: "continue", data: context };
}

registerHook("pre_bash_sample", bashSafetyHook, { priority: 100 });
registerHook("pre_edit_sample", protectedFilesHook);
