import type { Call, Report } from "./call/call.ts";

/** Variables by which a program loads code or starts another program. */
const LOADS_CODE =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PS4|PYTHONSTARTUP|PERL5(?:OPT|LIB|DB)|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|SUDO_ASKPASS|NODE_OPTIONS|GCONV_PATH|LESSOPEN|LESSCLOSE|MANPAGER)$/;
const HARMLESS_NODE =
  /^(?:\s*--(?:max[-_]old[-_]space[-_]size|no-warnings|trace-[\w-]+|enable-source-maps|experimental-vm-modules|max-http-header-size)(?:=\d+)?)*\s*$/;

/** `LD_PRELOAD=./x.so ls`. */
export function judgeEnvironment({ command }: Call, report: Report): void {
  for (const { name, value } of command.assignments) {
    if (LOADS_CODE.test(name) && !(name === "NODE_OPTIONS" && HARMLESS_NODE.test(value.text))) {
      report("loads-code", `it sets ${name}, by which the program loads other code`, value);
    }
  }
}

const WELL_KNOWN = new Set(
  "ls cat echo grep rg find git sed awk head tail wc sort uniq cut tr cp mv rm mkdir touch chmod chown pwd which env bash sh zsh python node npm npx curl wget ssh tar make docker sudo less more diff file stat du df ps kill date id whoami".split(
    " ",
  ),
);
const USUAL_FOLDERS =
  /^(?:\/(?:usr\/(?:local\/)?)?s?bin|\/opt\/[\w./+-]*bin|\/(?:home|Users)\/[^/]+\/[\w./+-]*bin|\/usr\/[\w./+-]*|\/nix\/.*|\/snap\/bin|\/bin\/\.\..*|\/usr\/\.\..*)\//;

/** A well-known name at an unusual place, or a name no program has. */
export function judgeProgram({ words, name, scene }: Call, report: Report): void {
  const text = words[0]?.text ?? "";
  if (/^\S+\s+\S/.test(text) && !/[\\/]/.test(text)) report("unusual-program", "the name of the program has blanks in it", words[0]);
  if (!text.startsWith("/") || !WELL_KNOWN.has(name)) return;
  if (/^\/(?:private\/)?(?:(?:var\/)?tmp|dev\/shm)\//.test(text))
    report("impostor-program", `it runs a program called ${name} from a folder where everybody can put one`, words[0]);
  else if (!USUAL_FOLDERS.test(text) && !text.startsWith(`${scene.workspace}/`))
    report("unusual-program", `it runs ${name} from an unusual folder`, words[0]);
}
