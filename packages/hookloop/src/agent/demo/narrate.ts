import type { styleText } from "node:util";
import type { RegisteredHook } from "../../config/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { TraceRecord } from "../../engine/index.ts";
import type { LoopStep } from "../loop-types.ts";

type Style = Parameters<typeof styleText>[0];

export interface NarratorOptions {
  readonly out: (text: string) => void;
  readonly width: number;
  readonly style: (format: Style, text: string) => string;
}

/** Tells what happens, one line at a time. */
export interface Narrator {
  opening(): void;
  scene(number: number, title: string, prompt: string | undefined): void;
  heldBack(hook: RegisteredHook): void;
  lesson(text: string): void;
  closing(): void;
  /** What can be tried in a conversation there. */
  offer(project: string): void;
  report(diagnostic: Diagnostic): void;
  step(step: LoopStep): void;
  trace(record: TraceRecord): void;
}

const WIDEST = 100;

const TO_TRY: readonly (readonly [string, string])[] = [
  ["delete the file notes.txt", "the guard blocks it"],
  ["what is the next release called?", "the context hook knows"],
  ["create a.ts and print the file content", "the formatter runs"],
  ["/hooks or /why", "which hooks there are, and who decided"],
];

export function narrate({ out, width, style }: NarratorOptions): Narrator {
  const columns = Math.min(width, WIDEST);
  /** Only the first line has the mark; the others stand below its text. */
  const say = (mark: string, text: string, format?: Style): void => {
    for (const [at, line] of wrapped(text, columns - mark.length).entries()) {
      out(`${at === 0 ? mark : " ".repeat(mark.length)}${format ? style(format, line) : line}\n`);
    }
  };
  const names = new Map<string, string>();
  return {
    opening() {
      say("", "hookloop: hooks around an agent's loop", "bold");
      say("", "An agent with a small offline model works in a throw-away folder. Every line marked ▸ is a hook.");
    },
    scene(number, title, prompt) {
      out("\n");
      say("", `${number}. ${title}`, "bold");
      if (prompt !== undefined) say("   ", `you: ${prompt}`, "cyan");
    },
    heldBack: ({ event, name }) => say("   ▸ ", `${event}: ${name} will not run: not approved yet`, "yellow"),
    lesson: (text) => say("   ", text, "dim"),
    closing() {
      out("\n");
      say("", "Three things to try next", "bold");
      say("   ", "npx hookloop agent                  talk to the agent yourself; /why explains the last verdict");
      say("   ", "npx hookloop events PreToolUse      everything a hook of this event gets and may answer");
      say("   ", "npx hookloop trust                  the hooks of your own project, and which of them are approved");
    },
    offer(project) {
      out("\n");
      say("", "Now you", "bold");
      say("   ", "Talk to the agent in this folder, with the hooks you have just seen. Type, for example:");
      for (const [typed, what] of TO_TRY) say("   > ", `${typed.padEnd(40)} ${what}`);
      say("   ", `The folder is ${project}`);
      say("   ", "It is removed when you leave: exit, or Ctrl-D.");
    },
    report({ level, text, code }) {
      if (level === "error" || code.startsWith("HL_EXECUTE")) say("   ! ", `${code}: ${text}`, "red");
    },
    step(step) {
      if (step.type !== "reply") return;
      const text = step.reply.content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
      if (text !== "") say("   ", `agent: ${text}`, undefined);
    },
    trace({ step, hook = "", name, label, event, effects, failure, durationMs }) {
      if (step === "started") names.set(hook, String(name));
      if (step !== "outcome") return;
      const who = names.get(hook) ?? hook;
      const { text, format } = outcomeText(effects, failure);
      if (text !== "") say("   ▸ ", `${String(label ?? event)}: ${who} ${text} (${Math.round(Number(durationMs))} ms)`, format);
    },
  };
}

function outcomeText(effects: unknown, failure: unknown): { readonly text: string; readonly format: Style } {
  const list = (effects ?? []) as readonly { readonly type: string; readonly reason?: string; readonly text?: string }[];
  if (failure) return { text: "failed", format: "red" };
  const no = list.find(({ type }) => type === "deny" || type === "continueTurn");
  if (no?.type === "deny") return { text: `denied: ${no.reason ?? ""}`, format: "red" };
  if (no) return { text: `sends it back: ${no.reason ?? ""}`, format: "yellow" };
  const context = list.find(({ type }) => type === "context");
  return context ? { text: `adds: ${context.text ?? ""}`, format: "green" } : { text: "", format: "dim" };
}

function wrapped(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > columns) {
      const space = rest.lastIndexOf(" ", columns);
      const at = space > 0 ? space : columns;
      lines.push(rest.slice(0, at));
      rest = rest.slice(at).trimStart();
    }
    return [...lines, rest];
  });
}
