import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES, EVENTS } from "../../packages/hookloop/src/catalogue/events.ts";
import { describeEvent, type EventDescription, type FieldDescription, facts } from "../../packages/hookloop/src/cli/commands/events.ts";

const INTRODUCTION = `# Events

<!-- Made from the event catalogue by \`npm run generate\`. Do not edit. -->

Every event an agent loop can fire, with what a hook gets and what it can answer. The same on the command line:
\`hookloop events\`, \`hookloop events PreToolUse\`, and as JSON Schema: \`hookloop schema PreToolUse\`.

In the samples, the call stands for what a handler of \`hook()\` returns; below it is exactly what the hook then writes.
`;

/** The reference page of all events. */
export async function eventsPage(): Promise<string> {
  const sections = await Promise.all(EVENT_NAMES.map(async (name) => section(await describeEvent(name))));
  return [INTRODUCTION, overview(), ...sections].join("\n");
}

function overview(): string {
  const row = (name: EventName): string => {
    const { role, block, matcher, fires } = EVENTS[name];
    return `| [${name}](#${name.toLowerCase()}) | ${role} | ${block ? "yes" : "no"} | ${matcher ? `\`${matcher.field}\`` : ""} | ${fires} |`;
  };
  return ["| Event | Role | Blocks | Matched by | Fires |", "|---|---|---|---|---|", ...EVENT_NAMES.map(row), ""].join("\n");
}

function section(event: EventDescription): string {
  return [
    `## ${event.name}`,
    "",
    `It fires ${event.fires}.${event.origin === "hookloop" ? " An event of hookloop: Claude Code does not know it." : ""}`,
    "",
    "| | |",
    "|---|---|",
    ...facts(event).map(([label, value]) => `| ${label} | ${cell(value)} |`),
    "",
    "| Input field | Type | |",
    "|---|---|---|",
    ...event.input.map(fieldRow),
    "",
    "```json",
    JSON.stringify(event.sample, null, 2),
    "```",
    "",
    ...event.outputs.flatMap(({ code, means, stdout, stderr, exitCode }) => [
      `- \`${code}\` — ${means}`,
      "",
      "  ```text",
      ...[stdout.trimEnd(), stderr && `stderr: ${stderr.trimEnd()}`, exitCode ? `exit code ${exitCode}` : ""]
        .filter(Boolean)
        .map((line) => `  ${line}`),
      "  ```",
      "",
    ]),
    ...(event.hookSpecificOutput.length > 0
      ? ["| Field of `hookSpecificOutput` | Type | |", "|---|---|---|", ...event.hookSpecificOutput.map(fieldRow), ""]
      : []),
    ...event.pitfalls.map((pitfall) => `> ${pitfall}\n`),
  ].join("\n");
}

function fieldRow({ name, type, isRequired, description }: FieldDescription): string {
  return `| \`${name}\`${isRequired ? "" : " (optional)"} | ${cell(type)} | ${cell(description)} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
