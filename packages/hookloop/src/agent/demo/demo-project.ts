import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The hooks of the demonstration: plain scripts, as anybody would write them in any language. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "no-delete.mjs": `// A guard: no deletions.
import { readFileSync } from "node:fs";
const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
if (/\\brm\\b/.test(tool_input.command)) {
  console.error("Deleting is not for agents here. Ask a person.");
  process.exit(2);
}
`,
  "team-context.mjs": `// Context: what the model should know.
console.log("The next release is called Heron. It ships when the checks pass.");
`,
  "format.mjs": `// A formatter: runs after every edit.
import { readFileSync, writeFileSync } from "node:fs";
const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
const text = readFileSync(tool_input.file_path, "utf8");
writeFileSync(tool_input.file_path, "// formatted by a hook\\n" + text.trimEnd() + "\\n");
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "The file was formatted." } }));
`,
  "checks-first.mjs": `// A Stop hook: once there is code, the agent may not stop before the checks have run.
import { existsSync, readFileSync } from "node:fs";
readFileSync(0);
if (existsSync("src") && !existsSync("checks.log")) console.log(JSON.stringify({ decision: "block", reason: "run echo passed > checks.log" }));
`,
};

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Heron\n\nA small project to try hooks on.\n",
  "notes.txt": "TODO: write a guard\n",
};

/** Makes the project in an empty folder. */
export function writeDemoProject(folder: string): void {
  const write = (name: string, text: string): void => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const [name, text] of Object.entries(FILES)) write(name, text);
  for (const [name, text] of Object.entries(SCRIPTS)) write(path.join("hooks", name), text);
  write(".claude/settings.json", `${JSON.stringify(settings(), null, 2)}\n`);
}

function settings(): object {
  const run = (script: string): object => ({
    hooks: [{ type: "command", command: `"${process.execPath}" "$CLAUDE_PROJECT_DIR"/hooks/${script}` }],
  });
  return {
    hooks: {
      PreToolUse: [{ matcher: "Bash", ...run("no-delete.mjs") }],
      UserPromptSubmit: [run("team-context.mjs")],
      PostToolUse: [
        { matcher: "Write", ...run("format.mjs") },
        { matcher: "Grep", hooks: [{ type: "command", command: 'bash "$CLAUDE_PROJECT_DIR"/hooks/missing.sh' }] },
      ],
      Stop: [run("checks-first.mjs")],
    },
  };
}
