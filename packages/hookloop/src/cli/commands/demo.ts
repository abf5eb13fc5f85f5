import type { Command } from "commander";
import { style, width } from "../terminal.ts";

export function addDemoCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("demo")
    .description("watch hooks at work: a narrated session, offline, in a throw-away folder")
    .addHelpText("after", "\nIt needs no key and no network, takes a few seconds, and leaves nothing behind.")
    .action(async () => {
      // Loaded here: the other commands start without it.
      const { runDemo } = await import("../../agent/index.ts");
      setExitCode(await runDemo({ out: (text) => void process.stdout.write(text), env: process.env, width: width(), style }));
    });
}
