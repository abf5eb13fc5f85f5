import type { Command } from "commander";
import type { DemoPlace } from "../../agent/index.ts";
import { askClearly, openLineQuestions, yesOrNo } from "../clear-answer.ts";
import { inLocale, print, style, width } from "../terminal.ts";

const HELP = `
It needs no key and no network, takes a few seconds, and leaves nothing behind.
On a terminal it then offers a conversation in the folder of the demonstration,
with the hooks that were shown. Without a terminal it ends there.`;

export function addDemoCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("demo")
    .description("watch hooks at work: a narrated session, offline, in a throw-away folder")
    .addHelpText("after", HELP)
    .action(async () => {
      // Loaded here: the other commands start without it.
      const { runDemo } = await import("../../agent/run-demo.ts");
      const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
      const out = (text: string): void => void process.stdout.write(inLocale(text));
      setExitCode(await runDemo({ out, env: process.env, width: width(), style, ...(isTerminal && { talk }) }));
    });
}

/** The conversation in the folder of the demonstration, with its hooks. */
async function talk({ project, env, flags }: DemoPlace): Promise<number> {
  if (!(await wantsToTalk())) return 0;
  const { runConversation } = await import("../conversation/run-conversation.ts");
  const before = process.cwd();
  process.chdir(project);
  Object.assign(process.env, env);
  try {
    return await runConversation({ ...flags, isThrowAway: true });
  } finally {
    process.chdir(before);
  }
}

async function wantsToTalk(): Promise<boolean> {
  const questions = openLineQuestions({ input: process.stdin, output: process.stdout });
  const answer = await askClearly({
    ask: (question) => questions.ask(question),
    print,
    question: "Open the conversation? [Y/n]",
    // Just Enter is a yes here.
    read: (given) => (given.trim() === "" ? { isYes: true } : yesOrNo(given)),
    hint: "Say y or n; Enter is y.",
  });
  questions.close();
  return answer?.isYes === true;
}
