import type { Protected, ProtectedKind } from "./types.ts";

/** A name that is protected; one that ends in `/` is a folder with everything in it. */
export interface NameRow extends Protected {
  readonly name: string;
  readonly guards?: "whole" | "above" | undefined;
}

function rows(what: ProtectedKind, why: string, names: string): readonly NameRow[] {
  return names.split(" ").map((name) => ({ name, what, why }));
}

const DECLARES_HOOKS = "it declares hooks, which run by themselves";
const STARTS_PROGRAMS = "it makes an agent start programs or skip its questions";
export const GIT_RUNS_IT = "git runs what is in it";
export const OPENING_RUNS_IT = "opening the folder can run it";
const EVERY_SHELL = "every new shell runs it";

/** Protected wherever they stand: a session may be started in any folder. */
export const ANYWHERE: readonly NameRow[] = [
  ...rows(
    "hook configuration",
    DECLARES_HOOKS,
    ".hookloop/hooks.json .hookloop/hooks.local.json .claude/settings.json .claude/settings.local.json .hooks.json hooks/hooks.json .claude-plugin/plugin.json .cursor/hooks.json .gemini/settings.json .codex/hooks.json .codex/config.toml .windsurf/hooks.json .kiro/hooks/",
  ),
  ...rows("hook configuration", "its frontmatter can declare hooks", ".claude/agents/ .claude/skills/ .claude/commands/"),
  ...rows("hook configuration", "plugins in it can declare hooks", ".claude/plugins/"),
  ...rows("hook script", "hooks run what is in it", ".claude/hooks/ .hookloop/hooks/"),
  ...rows("agent configuration", STARTS_PROGRAMS, ".mcp.json .cursor/mcp.json .vscode/mcp.json .opencode/plugin/ .opencode/plugins/"),
  ...rows("git hooks", GIT_RUNS_IT, ".git/hooks/ .husky/ .githooks/"),
  ...rows("git configuration", "it can make git run programs", ".git/config .git/config.worktree .git/commondir .git/info/attributes"),
  ...rows(
    "git repository",
    "it decides what git takes for the history, and where it finds it",
    ".git/HEAD .git/index .git/packed-refs .git/refs/ .git/objects/ .git/info/",
  ),
  // A file of this name says where the configuration is.
  ...rows("git configuration", "it decides where git finds its configuration and hooks", ".git"),
  ...rows(
    "environment file",
    "entering the folder runs it",
    ".envrc mise.toml .mise.toml mise.local.toml .mise.local.toml .mise/config.toml .config/mise.toml .config/mise/config.toml",
  ),
  ...rows(
    "editor configuration",
    OPENING_RUNS_IT,
    ".vscode/tasks.json .vscode/settings.json .vscode/launch.json .devcontainer/ .devcontainer.json .zed/tasks.json .zed/settings.json .idea/runConfigurations/ .idea/workspace.xml .run/ .nvim.lua .nvimrc .exrc",
  ),
  ...rows("package manager configuration", "installing or running a script runs it", ".yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs"),
];

/** SECURITY: the program that guards the session, as package managers install it. Its name counts wherever it stands. */
export const INSTALLED: readonly NameRow[] = rows(
  "hookloop itself",
  "it is the program that guards sessions, or part of it",
  "node_modules/hookloop/ node_modules/@hookloop/ node_modules/.bin/hookloop node_modules/.bin/hookloop.cmd node_modules/.bin/hookloop.ps1",
);

/** Protected in the home folder. */
export const IN_HOME: readonly NameRow[] = [
  ...rows(
    "shell start file",
    EVERY_SHELL,
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .pam_environment .xprofile .xinitrc .xsession .config/fish/ .config/environment.d/ .config/nushell/",
  ),
  ...rows("agent configuration", STARTS_PROGRAMS, ".claude.json .config/claude/"),
  ...rows("git configuration", "it can make git run programs", ".gitconfig .config/git/config .config/git/attributes"),
  ...rows(
    "scheduled job",
    "it runs by itself",
    ".config/systemd/user/ .local/share/systemd/user/ .config/autostart/ Library/LaunchAgents/",
  ),
  ...rows(
    "login key",
    "it decides who can log in and what runs then",
    ".ssh/authorized_keys .ssh/authorized_keys2 .ssh/rc .ssh/config .ssh/environment",
  ),
];

/** Start files of zsh: in the home folder, or where `ZDOTDIR` says. */
export const ZSH: readonly NameRow[] = rows("shell start file", EVERY_SHELL, ".zshrc .zshenv .zprofile .zlogin .zlogout");

/** Protected at the root of the file system. */
export const IN_SYSTEM: readonly NameRow[] = [
  ...rows(
    "shell start file",
    EVERY_SHELL,
    "/etc/profile /etc/profile.d/ /etc/bash.bashrc /etc/bashrc /etc/zsh/ /etc/zshenv /etc/zshrc /etc/fish/ /etc/environment /etc/ld.so.preload",
  ),
  ...rows("git configuration", "it can make git run programs", "/etc/gitconfig"),
  ...rows(
    "scheduled job",
    "it runs by itself",
    "/etc/crontab /etc/cron.d/ /etc/cron.hourly/ /etc/cron.daily/ /etc/cron.weekly/ /etc/cron.monthly/ /var/spool/cron/ /etc/systemd/",
  ),
  ...rows("managed folder", "it holds rules that must not be loosened", "/etc/hookloop/ /etc/claude-code/"),
];
