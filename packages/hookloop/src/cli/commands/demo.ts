import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { style, width } from "../terminal.ts";

export function addDemoCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("demo")
    .description("watch hooks at work: a narrated session, offline, in a throw-away folder")
    .addHelpText(
      "after",
      "\nIt needs no key and no network, takes a few seconds, and leaves nothing behind. On a terminal it then offers the conversation.",
    )
    .action(async () => {
      // Loaded here: the other commands start without it.
      const { runDemo } = await import("../../agent/index.ts");
      const code = await runDemo({ out: (text) => void process.stdout.write(text), env: process.env, width: width(), style });
      setExitCode(code === 0 && (await wantsToTalk()) ? talk() : code);
    });
}

async function wantsToTalk(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const left = new Promise<string>((resolve) => terminal.once("close", () => resolve("n")));
  const answer = await Promise.race([terminal.question("\nTalk to the agent in this folder now? [y/N] "), left]);
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

/** A program of its own: the conversation takes over the whole terminal. */
function talk(): number {
  const [node = "", script = ""] = process.argv;
  return spawnSync(node, [script, "agent"], { stdio: "inherit" }).status ?? 1;
}
