import { type Reading, report } from "../reading.ts";
import type { ConfigProperty } from "../tree/index.ts";

const TEMPLATE = /\$\{user_config\.([^}]*)\}?/;

/** SECURITY: a user's value is never put into shell text (fault 63). In `args` it is one word, whatever it holds. */
export function checkShellLine(reading: Reading, properties: readonly ConfigProperty[]): boolean {
  const command = properties.find(({ key }) => key === "command")?.value;
  const isShell = !properties.some(({ key }) => key === "args");
  const [template, name = ""] = (isShell && command?.type === "text" && TEMPLATE.exec(String(command.value))) || [];
  if (isShell && command?.type === "text") reportOpenGuard(reading, properties, command);
  if (!command || template === undefined) return true;
  const variable = `CLAUDE_PLUGIN_OPTION_${name.toUpperCase().replace(/\W/g, "_")}`;
  const text = `${template} is not replaced in a shell line: its value could run as a command. Use "$${variable}" instead, or "args". The hook is left out.`;
  report(reading, { code: "HL_CONFIG_TEMPLATE_IN_SHELL", text, place: command.place });
  return false;
}

/** Says it of a guard whose line exits with 0 whatever its program finds. It is used all the same: it may answer in JSON. */
function reportOpenGuard(
  reading: Reading,
  properties: readonly ConfigProperty[],
  { value, place }: NonNullable<ConfigProperty["value"]> & { readonly value: unknown },
): void {
  const settingOf = (name: string): unknown => {
    const node = properties.find(({ key }) => key === name)?.value;
    return node && "value" in node ? node.value : undefined;
  };
  if (settingOf("guard") !== true && settingOf("onFailure") !== "block") return;
  const problem = openEnd(String(value).trim());
  if (problem === undefined) return;
  report(reading, { code: "HL_CONFIG_GUARD_OPEN", level: "warning", text: `This guard cannot block by its exit code: ${problem}`, place });
}

function openEnd(line: string): string | undefined {
  if (line.split("\n").every((one) => /^\s*(?:#|$)/.test(one))) return "its command is only a comment. Write what it runs.";
  if (/(?:^|[^&>|])&$/.test(line)) return 'its command ends in "&", so nobody waits for it. Remove that.';
  const [, end] = /(?:\|\||;|\n)[ \t]*(true|:|exit[ \t]+0)[ \t]*;?$/.exec(line) ?? [];
  const hiding = end ?? hidingEnd(line);
  return hiding === undefined ? undefined : `its command ends in "${hiding}", which hides that it blocked or failed. Remove that.`;
}

/** What only prints, and succeeds: in the place of the script's, its exit code counts. */
const PRINTERS: Readonly<Record<string, RegExp>> = {
  "|": /^(?:cat|tee|logger|head|tail|sort|uniq|wc|nl|ts|more|less|true|:)\b|^(?:echo|printf)\b/,
  ";": /^(?:echo|printf|logger|true|date)\b|^:(?:\s|$)|^exit\s+0$/,
};

/** The last command of a pipeline, of a list or behind `||`, if the line can end in nothing else. */
function hidingEnd(line: string): string | undefined {
  // Words in quotes and comments separate nothing.
  const bare = line
    .replace(/\\\n/g, "  ")
    .replace(/\\.|"(?:[^"\\]|\\.)*"|'[^']*'/gs, (quoted) => "_".repeat(quoted.length))
    .replace(/(?<=^|\s)#[^\n]*/g, (comment) => " ".repeat(comment.length))
    .trimEnd()
    .replace(/[;\s]+$/, "");
  const separator = [...bare.matchAll(/\|\||&&|\|&?|;+|\n+/g)].at(-1);
  const isMore = /\b(?:exit\s+(?!0\b)\S|set\s+-\w*[eo]|trap|return)\b|(?:^|[;\n])\s*(?:fi|done|esac)\b|\$\?|[{(]/.test(bare);
  if (!separator || separator[0] === "&&" || isMore) return undefined;
  const from = separator.index + separator[0].length;
  const last = line
    .slice(from)
    .trim()
    .replace(/[;\s]+$/, "");
  const kind = separator[0].startsWith("|") && separator[0] !== "||" ? "|" : ";";
  // What prints an object may well print the answer.
  return PRINTERS[kind]?.test(bare.slice(from).trim()) && !last.includes("{")
    ? `${separator[0].trim() || ";"} ${last.slice(0, 40)}`
    : undefined;
}
