// @ts-check
// Shows a desktop notification when the agent waits for you, for everyone who works in another window meanwhile.
// HOOK_NOTIFY_COMMAND names a program of your own; it gets the title and the message as two arguments.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { hook } from "@hookloop/sdk";

const APPLESCRIPT = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
const DESKTOPS = [
  ["notify-send", "--"],
  ["osascript", ...APPLESCRIPT.flatMap((line) => ["-e", line])],
];

export const notify = hook("Notification", { name: "notify" }, ({ title, message, cwd }) => {
  const own = process.env.HOOK_NOTIFY_COMMAND;
  const heading = `${title ?? "Claude Code"}: ${path.basename(cwd)}`;
  // Arguments, never shell text: the message may quote a command of the model.
  const isShown = (own ? [[own]] : DESKTOPS).some(([program = "", ...args]) => {
    return spawnSync(program, [...args, heading, message], { stdio: "ignore", timeout: 5000 }).status === 0;
  });
  if (own && !isShown) throw new Error(`HOOK_NOTIFY_COMMAND (${own}) did not run or failed`);
  if (!isShown) ringBell();
});

function ringBell() {
  try {
    writeFileSync("/dev/tty", "\u0007");
  } catch {
    // No terminal either (Claude Code starts hooks without one): a notification is never worth an error.
  }
}
