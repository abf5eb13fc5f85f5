import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const BLOCK = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm;

/**
 * Plays a guide as its reader would: files are written, commands are run, in order, in a folder of their own.
 * Gives the guide with what the commands really printed. Times and folders that differ from run to run are made plain.
 */
export function playGuide(text: string): string {
  // Inside the repository, so that the packages are found.
  const root = mkdtempSync(path.resolve("node_modules/.guide-"));
  const folder = path.join(root, "project");
  mkdirSync(folder);
  try {
    return text.replace(BLOCK, (block, language: string, file: string | undefined, body: string) => {
      if (file !== undefined) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        writeFileSync(path.join(folder, file), body);
        return block;
      }
      return language === "console" ? `\`\`\`console\n${playConsole(body, folder, root)}\`\`\`` : block;
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function playConsole(body: string, folder: string, root: string): string {
  const commands = body.split("\n").filter((line) => line.startsWith("$ "));
  return commands.map((line) => `${line}\n${output(line.slice(2), folder, root)}`).join("");
}

function output(command: string, folder: string, root: string): string {
  const { PATH = "", TMPDIR } = process.env;
  const env = {
    // The packages are installed in the project and nowhere else, as the guides say: npx finds them there.
    PATH: `${path.resolve("node_modules/.bin")}:${PATH.split(":")
      .filter((folder) => !folder.endsWith("hookloop-test-bin"))
      .join(":")}`,
    HOME: path.join(root, "home"),
    HOOK_LOG_DISABLE: "1",
    // The folder lies inside a repository that is none of the guide's business.
    GIT_CEILING_DIRECTORIES: root,
    ...(TMPDIR && { TMPDIR }),
  };
  const { stdout } = spawnSync("bash", ["-c", `${command.replace(/\bnpx /g, "")} 2>&1`], { cwd: folder, env, encoding: "utf8", input: "" });
  const plain = stdout
    .replaceAll(folder, "/home/you/project")
    .replace(/\b\d+ ms\b|(?<=, |\()\d+(?:\.\d+)? s\b/g, "12 ms")
    .replace(/sha256:[0-9a-f]{64}/g, "sha256:…")
    // The id of such a hook has the folder in it.
    .replace(/\b((?:plugin|skill):\w+:)[0-9a-f]{10}\b/g, "$1…");
  return plain === "" || plain.endsWith("\n") ? plain : `${plain}\n`;
}
