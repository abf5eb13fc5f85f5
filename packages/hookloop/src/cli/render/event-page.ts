import { MODEL_KIND_TIMEOUT_SECONDS } from "../../catalogue/index.ts";
import { wrapText } from "../conversation/screen/text-width.ts";
import type { EventDescription, FieldDescription } from "../describe-event.ts";
import { style } from "../terminal.ts";
import { wrap } from "./table.ts";

const LABEL_WIDTH = 17;

/** One event as a page for the terminal. */
export function eventPage(event: EventDescription, columns: number): string {
  const heading = (text: string): string => `\n${style("bold", text)}`;
  const items = (texts: readonly string[]): string[] => texts.map((text) => `  - ${wrap(text, columns, "    ")}`);
  return [
    style(["bold", "cyan"], event.name),
    wrap(`It fires ${event.fires}.`, columns),
    ...(event.origin === "hookloop" ? ["An event of hookloop: Claude Code does not know it."] : []),
    "",
    ...facts(event).map(([label, value]) => `${style("dim", label.padEnd(LABEL_WIDTH))}${wrap(value, columns, " ".repeat(LABEL_WIDTH))}`),
    heading("Input"),
    ...event.input.map((field) => fieldLine(field, columns)),
    heading("Sample input"),
    ...JSON.stringify(event.sample, null, 2)
      .split("\n")
      .flatMap((row) => wrapText(row, columns, "      ")),
    heading("What a hook can say"),
    ...event.outputs.flatMap(({ code, means, stdout, stderr, exitCode }) => [
      `  ${style("green", wrap(code, columns, "  "))}`,
      `      ${wrap(means, columns, "      ")}`,
      ...(stdout ? [style("dim", `      stdout  ${wrap(stdout.trimEnd(), columns, " ".repeat(14))}`)] : []),
      ...(stderr ? [style("dim", `      stderr  ${wrap(stderr.trimEnd(), columns, " ".repeat(14))}`)] : []),
      ...(exitCode ? [style("dim", `      exit    ${exitCode}`)] : []),
    ]),
    ...(event.hookSpecificOutput.length > 0
      ? [heading("Fields of hookSpecificOutput"), ...event.hookSpecificOutput.map((field) => fieldLine(field, columns))]
      : []),
    ...(event.outputs.length === 0 ? ["  Nothing: it only observes. Exit code 0, whatever is printed."] : []),
    ...(event.pitfalls.length > 0 ? [heading("Pitfalls"), ...items(event.pitfalls)] : []),
  ].join("\n");
}

/** The row's columns in words. */
export function facts(event: EventDescription): [label: string, value: string][] {
  const { matcher, block } = event;
  return [
    [
      "Matched by",
      matcher ? `${matcher.field}${matcher.values.length > 0 ? `: ${matcher.values.join(", ")}` : ""}` : "nothing; a matcher is ignored",
    ],
    ["Can block", `${block ? "yes" : "no"}: ${event.blockMeans}`],
    ["Exit code 2", event.exit2Means],
    ["Plain stdout", { context: "goes to the model", log: "goes to the log", path: "its last line is the path" }[event.stdout]],
    ["Kinds", event.kinds.join(", ")],
    ["Time limit", timeLimits(event)],
    ["Role", `${event.role}; if a hook fails: ${event.onFailure}; several hooks: ${event.merge}`],
    ["continue: false", event.honoursContinue ? "ends the agent's work" : "ignored, and so is systemMessage"],
  ];
}

function timeLimits({ timeoutSeconds, kinds }: EventDescription): string {
  const { prompt, agent } = MODEL_KIND_TIMEOUT_SECONDS;
  return `${timeoutSeconds} s${kinds.includes("prompt") ? `; prompt hooks ${prompt} s, agent hooks ${agent} s` : ""}`;
}

function fieldLine({ name, type, isRequired, description }: FieldDescription, columns: number): string {
  const head = `  ${style("green", name)}${isRequired ? "" : "?"}  ${style("dim", type)}`;
  return `${wrap(head, columns, "      ")}\n      ${wrap(description, columns, "      ")}`;
}
