import { type Reading, report } from "../reading.ts";
import type { ConfigProperty } from "../tree/index.ts";

const TEMPLATE = /\$\{user_config\.([^}]*)\}?/;

/** SECURITY: a user's value is never put into shell text (fault 63). In `args` it is one word, whatever it holds. */
export function checkShellLine(reading: Reading, properties: readonly ConfigProperty[]): boolean {
  const command = properties.find(({ key }) => key === "command")?.value;
  const isShell = !properties.some(({ key }) => key === "args");
  const [template, name = ""] = (isShell && command?.type === "text" && TEMPLATE.exec(String(command.value))) || [];
  if (!command || template === undefined) return true;
  const variable = `CLAUDE_PLUGIN_OPTION_${name.toUpperCase().replace(/\W/g, "_")}`;
  const text = `${template} is not replaced in a shell line: its value could run as a command. Use "$${variable}" instead, or "args". The hook is left out.`;
  report(reading, { code: "HL_CONFIG_TEMPLATE_IN_SHELL", text, place: command.place });
  return false;
}
