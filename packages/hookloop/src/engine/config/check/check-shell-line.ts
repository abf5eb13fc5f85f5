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
  return end === undefined ? undefined : `its command ends in "${end}", which hides that it blocked or failed. Remove that.`;
}
