/** Puts a question of an MCP server to the person: a form, field by field, or a page to open. Nothing is sent that they did not type here. */

import type { AnswerQuestion, McpAnswer, McpQuestion } from "../../mcp/index.ts";
import { askClearly, yesOrNo } from "../clear-answer.ts";
import { style } from "../terminal.ts";
import type { AskScreen } from "./screen/types.ts";
import { contents, type Shorten } from "./show/short-paths.ts";

export function createAnswer(screen: AskScreen, shorten: Shorten): AnswerQuestion {
  return (question, signal) => screen.inTurn(() => answer(screen, shorten, question, signal));
}

async function answer(screen: AskScreen, shorten: Shorten, question: McpQuestion, signal: AbortSignal): Promise<McpAnswer> {
  if (signal.aborted) return { action: "cancel" };
  const { server, message, mode, url } = question;
  screen.print(`${style("yellow", "?")} The MCP server "${shorten(server)}" asks: ${contents(message)}`, "  ");
  if (mode === "url") screen.print(`  ${contents(url ?? "")}`, "  ");
  const choice = await clearly(screen, signal, {
    question: mode === "url" ? "Have you opened it? y = yes [n]" : "Answer it? y = yes [n]",
    read: yesOrNo,
    hint: "Say y or n; Enter is n, and declines.",
    why: () => [`The MCP server "${shorten(server)}" cannot go on without an answer. Nothing is sent that you do not type here.`],
  });
  if (choice === undefined) return { action: "cancel" };
  if (!choice.isYes) return { action: "decline" };
  return mode === "url" ? { action: "accept" } : await fillIn(screen, shorten, question, signal);
}

interface FormField {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
}

async function fillIn(screen: AskScreen, shorten: Shorten, { schema }: McpQuestion, signal: AbortSignal): Promise<McpAnswer> {
  const fields = (schema?.["properties"] ?? {}) as Readonly<Record<string, FormField>>;
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = await clearly(screen, signal, {
      question: shorten(labelOf(name, field)),
      read: (typed) => fieldValue(field, typed.trim()),
      hint: shorten(`${hintOf(field)} Enter leaves it empty.`),
    });
    if (given === undefined) return { action: "cancel" };
    // A field that is left empty is not sent; the server's schema says whether it had to be.
    if (given.value !== "") content[name] = given.value;
  }
  return { action: "accept", content };
}

function labelOf(name: string, { title, description, type, enum: values }: FormField): string {
  const choices = Array.isArray(values) ? ` (${values.join(", ")})` : type === "boolean" ? " (y, n)" : "";
  const about = typeof description === "string" ? `: ${description}` : "";
  return `${typeof title === "string" ? title : name}${about}${choices}`;
}

/** What was typed as the field wants it; nothing if it cannot be that. */
function fieldValue({ type, enum: values }: FormField, given: string): { readonly value: unknown } | undefined {
  if (given === "") return { value: "" };
  if (Array.isArray(values)) {
    const chosen = values.find((one) => String(one) === given) ?? values.find((one) => String(one).toLowerCase() === given.toLowerCase());
    return chosen === undefined ? undefined : { value: chosen };
  }
  if (type === "boolean") {
    const answer = /^(?:true|false)$/i.test(given) ? { isYes: given.toLowerCase() === "true", reason: "" } : yesOrNo(given);
    return answer && (answer.isYes || answer.reason === "") ? { value: answer.isYes } : undefined;
  }
  if (type !== "number" && type !== "integer") return { value: given };
  const number = Number(given);
  return Number.isFinite(number) && (type === "number" || Number.isInteger(number)) ? { value: number } : undefined;
}

function hintOf({ type, enum: values }: FormField): string {
  if (Array.isArray(values)) return `Say one of ${values.join(", ")}.`;
  return type === "boolean" ? "Say y or n." : `Say ${type === "integer" ? "a whole number" : "a number"}.`;
}

type Asking<Answer> = Omit<Parameters<typeof askClearly<Answer>>[0], "ask" | "print">;

function clearly<Answer>(screen: AskScreen, signal: AbortSignal, asking: Asking<Answer>): Promise<Answer | undefined> {
  const print = (text: string): void => screen.print(style("dim", `  ${text}`), "  ");
  return askClearly({ ...asking, ask: (question) => screen.ask(question, signal), print });
}
