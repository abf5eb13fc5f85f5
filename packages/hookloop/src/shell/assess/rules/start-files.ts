import type { Call, Report } from "../call/call.ts";
import type { Place } from "../call/place.ts";
import type { Judge, Rule } from "../rule.ts";

/** Below a home: what runs by itself at the next login or shell. */
const AT_LOGIN =
  /^(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|xinitrc|xprofile|xsession|pam_environment|gitconfig)|\.config\/git\/(?:config|attributes)|\.config\/(?:fish\/.*|autostart(?:\/.*)?|systemd\/user(?:\/.*)?|environment\.d\/.*)|Library\/Launch(?:Agents|Daemons)(?:\/.*)?|\.ssh\/(?:authorized_keys|rc|config|environment))$/;
const HOMES = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|\/var\/root)\/(.*)$/;
/** In any folder: what tools run by themselves. */
const BY_TOOLS = /\/(?:\.envrc|\.vscode\/tasks\.json|\.husky\/[^/]+)$/;
const OF_MACHINE =
  /^\/(?:etc\/(?:cron.*|rc\.local|profile.*|systemd\/.*|init\.d\/.*|ld\.so\.preload|bash\.bashrc|zsh.*)|var\/spool\/cron.*|Library\/Launch(?:Agents|Daemons)\/.*)$/;

/** In any repository: what git runs, and what tells it to run other programs. */
const BY_GIT = /\/\.git\/(?:(?:modules\/.+\/|worktrees\/[^/]+\/)?(?:hooks\/[^/]+|config(?:\.worktree)?)|info\/attributes)$/;

/** For every path a command writes: does something start from it later? */
export function judgeStartFile({ path }: Place, call: Call, report: Report, at: { readonly span: Call["command"]["span"] }): boolean {
  if (path === undefined) return false;
  const { home } = call.scene;
  const below = path.startsWith(`${home}/`) ? path.slice(home.length + 1) : HOMES.exec(path)?.[1];
  if ((below !== undefined && AT_LOGIN.test(below)) || OF_MACHINE.test(path)) {
    report("starts-at-login", "it changes what runs by itself at every login", at);
    return true;
  }
  if (BY_GIT.test(path)) {
    report("starts-at-login", "it changes what git runs by itself", at);
    return true;
  }
  if (!BY_TOOLS.test(path)) return false;
  report("schedules-work", "it changes what other programs run by themselves", at);
  return true;
}

const EXECUTES = "it makes the program run another one";

/** Options by which ordinary programs start others, or load code. */
export const HELPER_RULES: readonly (Rule | Judge)[] = [
  { programs: "rg ripgrep", with: ["--pre", "--hostname-bin", "--search-zip", "-z"], kind: "runs-helper", text: EXECUTES },
  {
    programs: "tar bsdtar",
    when: ({ words }) =>
      words.some(({ text }) =>
        /^--(?:checkpoint-action|to-command|use-compress-program|info-script|new-volume-script|rsh-command|rmt-command)/.test(text),
      ),
    kind: "runs-helper",
    text: EXECUTES,
  },
  {
    programs: "ssh scp sftp",
    when: ({ words }) => words.some(({ text }) => /(?:proxycommand|localcommand|knownhostscommand)/i.test(text)),
    kind: "runs-helper",
    text: EXECUTES,
  },
  { programs: "sort", with: ["--compress-program"], kind: "runs-helper", text: EXECUTES },
  { programs: "zip", with: ["--unzip-command"], kind: "runs-helper", text: EXECUTES },
  { programs: "man", with: ["-P", "--pager", "-H", "--html"], kind: "runs-helper", text: EXECUTES },
  {
    programs: "vim vi nvim ex",
    when: ({ words }) => words.some(({ text }) => /^\+?:?!|^-c$/.test(text)) && words.some(({ text }) => text.includes("!")),
    kind: "runs-helper",
    text: EXECUTES,
  },
  {
    programs: "find",
    when: ({ words }) => words.some(({ text }) => /^-f(?:print|print0|printf|ls)$/.test(text)),
    kind: "runs-helper",
    text: "it writes what it finds to a file",
  },
  { programs: "insmod kextload", kind: "loads-code", text: "it loads code into the kernel" },
];
