/** Puts a question of an MCP server to the person: a form, field by field, or a page to open. Nothing is sent that they did not type here. */
import type { AnswerQuestion, McpAnswer, McpQuestion } from "../../mcp/index.ts";
import { style } from "../terminal.ts";
import type { Screen } from "./screen/types.ts";
import type { Shorten } from "./show/short-paths.ts";

export function createAnswer(screen: Screen, shorten: Shorten): AnswerQuestion {
  return async (question, signal) => {
    const { server, message, mode, url } = question;
    screen.print(`${style("yellow", "?")} The MCP server "${shorten(server)}" asks: ${shorten(message)}`, "  ");
    if (mode === "url") screen.print(`  ${shorten(url ?? "")}`, "  ");
    const choice = await screen.ask(mode === "url" ? "Have you opened it? y = yes [n]" : "Answer it? y = yes [n]", signal);
    if (choice === undefined) return { action: "cancel" };
    if (!/^\s*y(es)?\s*$/i.test(choice)) return { action: "decline" };
    return mode === "url" ? { action: "accept" } : await fillIn(screen, shorten, question, signal);
  };
}

interface FormField {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
}

async function fillIn(screen: Screen, shorten: Shorten, { schema }: McpQuestion, signal: AbortSignal): Promise<McpAnswer> {
  const fields = (schema?.["properties"] ?? {}) as Readonly<Record<string, FormField>>;
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = await screen.ask(shorten(labelOf(name, field)), signal);
    if (given === undefined) return { action: "cancel" };
    // A field that is left empty is not sent; the server's schema says whether it had to be.
    if (given.trim() !== "") content[name] = typedValue(field, given.trim());
  }
  return { action: "accept", content };
}

function labelOf(name: string, { title, description, type, enum: values }: FormField): string {
  const choices = Array.isArray(values) ? ` (${values.join(", ")})` : type === "boolean" ? " (y, n)" : "";
  const about = typeof description === "string" ? `: ${description}` : "";
  return `${typeof title === "string" ? title : name}${about}${choices}`;
}

function typedValue({ type }: FormField, given: string): unknown {
  if (type === "boolean") return /^(y|yes|true)$/i.test(given);
  const number = Number(given);
  return (type === "number" || type === "integer") && Number.isFinite(number) ? number : given;
}
