import { linkSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { processorMs } from "../../growth.test-suite.ts";
import { openProject, writeIn } from "./home-lab.test-suite.ts";
import { protect } from "./protect.ts";
import { type ProtectContext, protectedPath } from "./protected-path.ts";

let base: string;
let context: ProtectContext;

const write = (name: string, text?: string): void => writeIn(base, name, text);

beforeEach(() => {
  ({ base, context } = openProject());
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const bash = (command: string): ReturnType<typeof protect> => protect({ tool: "Bash", input: { command } }, context);
const edit = (file_path: string): ReturnType<typeof protect> =>
  protect({ tool: "Edit", input: { file_path, old_string: "two", new_string: "TWO" } }, context);

describe("what was found out about places counts until the disk says something else", () => {
  const evil = (): string => join(base, "home/evil/mcp.json");
  const what = (file: string): string | undefined => edit(file)?.paths[0]?.what;
  const link = join("home", ".cursor");
  /** Long enough that folders tell by their times what changes next. */
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 250));
  const remember = async (): Promise<void> => {
    what(evil());
    await settle();
    what(evil());
    what(evil());
  };

  test("a link that is made later, leads elsewhere later, and is gone later", async () => {
    expect(what(evil())).toBeUndefined();
    await remember();
    symlinkSync(join(base, "home/evil"), join(base, link));
    expect(what(evil())).toBe("agent configuration");
    await remember();
    rmSync(join(base, link));
    symlinkSync(join(base, "home/project"), join(base, link));
    expect(what(evil())).toBeUndefined();
    expect(what(join(base, "home/project/mcp.json"))).toBe("agent configuration");
    await remember();
    rmSync(join(base, link));
    expect(what(join(base, "home/project/mcp.json"))).toBeUndefined();
  });

  test("a link in the place of a folder on the way", async () => {
    write("home/.config/fish/config.fish");
    const moved = join(base, "home/evil/fish/config.fish");
    expect(what(moved)).toBeUndefined();
    await remember();
    rmSync(join(base, "home/.config"), { recursive: true });
    symlinkSync(join(base, "home/evil"), join(base, "home/.config"));
    expect(what(moved)).toBe("shell start file");
  });

  test("other files that come and go in the same folders change nothing", async () => {
    symlinkSync(join(base, "home/evil"), join(base, link));
    await remember();
    for (const name of ["home/a", "home/evil/b", "home/project/c"]) {
      write(name);
      expect(what(evil())).toBe("agent configuration");
    }
  });

  test("a setting that names a folder of hooks, in a file that was there and in one that was not", async () => {
    await remember();
    write("home/project/.git/config", "[core]\n\thooksPath = tools/hooks\n");
    expect(what(join(base, "home/project/tools/hooks/pre-commit"))).toBe("git hooks");
    await remember();
    write("home/.config/git/config", `[core]\n\thooksPath = ${base}/home/evil\n`);
    expect(what(evil())).toBe("git hooks");
  });

  test("a package that is installed, and a repository that is made", async () => {
    await remember();
    expect(bash("rm -rf ../node_modules")).toBeUndefined();
    write("home/node_modules/hookloop/package.json");
    expect(bash("rm -rf ../node_modules")?.isProtected).toBe(true);
    rmSync(join(context.cwd, ".git"), { recursive: true });
    await remember();
    write("home/.git/config", "[core]\n\thooksPath = evil\n");
    expect(what(evil())).toBe("git hooks");
  });
});

describe("hooks of git lie where core.hooksPath says", () => {
  const hooks = (config: string, file = ".git/config"): void => write(`home/project/${file}`, config);
  const what = (file: string): string | undefined => edit(join(context.cwd, file))?.paths[0]?.what;

  test.each([
    ["plain", "[core]\n\thooksPath = tools/hooks\n"],
    ["other letters, on the line of its section", "[CORE] HOOKSPATH=tools/hooks # ours\n"],
    ["quoted", '[user]\n name = x\n[core]\n hooksPath = "tools/hooks" ; ours\n'],
    ["with more of it", "[core]\n bare = false\n hooksPath = ./tools//hooks/\n"],
    ["not the last one", "[core]\n hooksPath = tools/hooks\n hooksPath = elsewhere\n"],
  ])("%s", (_, config) => {
    hooks(config);
    expect(what("tools/hooks/pre-commit")).toBe("git hooks");
    expect(bash("echo x > tools/hooks/new")?.isProtected).toBe(true);
    expect(what("tools/other")).toBeUndefined();
  });

  test("in an included file, in the settings of the worktree, in those of the user, from a folder below", () => {
    hooks("[include]\n path = ../more.ini\n");
    write("home/project/more.ini", "[core]\n hooksPath = one\n");
    hooks("[core]\n hooksPath = two\n", ".git/config.worktree");
    write("home/.gitconfig", "[core]\n hooksPath = ~/mine\n");
    context = { ...context, cwd: join(context.cwd, "src"), root: join(context.cwd, "src") };
    for (const file of ["../one/pre-commit", "../two/pre-commit", "../../mine/pre-commit"])
      expect([file, what(file)]).toEqual([file, "git hooks"]);
    expect(what("pre-commit")).toBeUndefined();
  });

  test("a worktree has the settings of its repository", () => {
    hooks("[core]\n hooksPath = tools/hooks\n");
    write("home/project/.git/worktrees/w/commondir", "../..\n");
    write("home/tree/.git", `gitdir: ${join(base, "home/project/.git/worktrees/w")}\n`);
    context = { ...context, cwd: join(base, "home/tree") };
    expect(what("tools/hooks/pre-commit")).toBe("git hooks");
  });

  test("where it is the project itself, what git would run", () => {
    hooks("[core]\n hooksPath = .\n");
    expect(what("pre-commit")).toBe("git hooks");
    expect(what("src/a.ts")).toBeUndefined();
  });

  test.each([
    "[core]\n hooksPath =\n",
    "[core]\n hooksPath\n",
    "[x]\n hooksPath = tools/hooks\n",
    "# hooksPath = tools/hooks\n",
    "[core]\n worktree = x",
  ])("nothing else counts: %j", (config) => {
    hooks(config);
    expect(what("tools/hooks/pre-commit")).toBeUndefined();
  });
});

test("a lock that git left behind may be removed", () => {
  write("home/project/.git/index.lock");
  expect(bash("rm -f .git/index.lock")).toBeUndefined();
});

test("git writes its settings into the file it is given", () => {
  for (const file of [".claude/settings.local.json", ".git/config", "../.gitconfig"]) {
    for (const line of [`git config -f ${file} a.b c`, `git config --file=${file} a.b c`, `git config --file ${file} --unset a.b`])
      expect([line, bash(line)?.isProtected]).toEqual([line, true]);
    expect(bash(`git config -f ${file} --get a.b`)).toBeUndefined();
    expect(bash(`git config -f ${file} a.b --get`)?.isProtected).toBe(true);
  }
  expect(bash("git config -f .gitmodules submodule.a.url b")).toBeUndefined();
});

describe("the agent's file tools may not change what guards it", () => {
  test.each([
    [".claude/settings.json", "hook configuration"],
    [".claude/settings.local.json", "hook configuration"],
    [".hookloop/hooks.json", "hook configuration"],
    [".hookloop/hooks.local.json", "hook configuration"],
    [".hooks.json", "hook configuration"],
    ["sub/.claude/settings.json", "hook configuration"],
    [".claude/agents/reviewer.md", "hook configuration"],
    [".claude/skills/x/SKILL.md", "hook configuration"],
    ["plugin/hooks/hooks.json", "hook configuration"],
    ["scripts/check.sh", "hook script"],
    ["./src/../scripts/check.sh", "hook script"],
    [".git/hooks/post-checkout", "git hooks"],
    [".git/modules/lib/hooks/post-checkout", "git hooks"],
    [".git/worktrees/w/commondir", "git configuration"],
    [".git/HEAD", "git repository"],
    [".git/objects/info/alternates", "git repository"],
    [".git/config", "git configuration"],
    ["sub/.git", "git configuration"],
    [".git/rebase-merge/git-rebase-todo", "git repository"],
    [".git/rebase-apply/patch", "git repository"],
    [".git/sequencer/todo", "git repository"],
    [".git/worktrees/w/gitdir", "git repository"],
    [".git/modules/lib/HEAD", "git repository"],
    [".git/MERGE_HEAD", "git repository"],
    [".git/some-new-state", "git repository"],
    ["sub/.git/rebase-merge/git-rebase-todo", "git repository"],
    [".devcontainer/devcontainer.json", "editor configuration"],
    [".devcontainer/go/devcontainer.json", "editor configuration"],
    [".devcontainer.json", "editor configuration"],
    [".zed/tasks.json", "editor configuration"],
    [".zed/settings.json", "editor configuration"],
    [".vscode/launch.json", "editor configuration"],
    [".idea/runConfigurations/a.xml", "editor configuration"],
    [".idea/workspace.xml", "editor configuration"],
    ["app.code-workspace", "editor configuration"],
    ["sub/app.code-workspace", "editor configuration"],
    [".nvim.lua", "editor configuration"],
    [".exrc", "editor configuration"],
    [".yarnrc.yml", "package manager configuration"],
    [".pnpmfile.cjs", "package manager configuration"],
    [".opencode/plugin/a.ts", "agent configuration"],
    [".windsurf/hooks.json", "hook configuration"],
    [".kiro/hooks/a.kiro.hook", "hook configuration"],
    [".husky/pre-commit", "git hooks"],
    ["packages/a/.husky/_/husky.sh", "git hooks"],
    [".githooks/pre-push", "git hooks"],
    [".envrc", "environment file"],
    ["deep/down/.envrc", "environment file"],
    ["mise.toml", "environment file"],
    [".vscode/tasks.json", "editor configuration"],
    ["../.bashrc", "shell start file"],
    ["../.zshenv", "shell start file"],
    ["../.config/fish/conf.d/x.fish", "shell start file"],
    ["../.config/hookloop/hooks.json", "hook configuration"],
    ["../.claude/settings.json", "hook configuration"],
    ["../.local/state/hookloop/trust.json", "trust store"],
    ["../.local/state/hookloop/traces/x", "trust store"],
    ["../../managed/hooks.d/a.json", "managed folder"],
    ["/etc/hookloop/hooks.json", "managed folder"],
    ["../.ssh/authorized_keys", "login key"],
    ["../.gitconfig", "git configuration"],
    ["../.config/systemd/user/x.service", "scheduled job"],
  ])("%s, whether it exists or not: %s", (path, what) => {
    for (const file of [path, resolve(context.cwd, path), `/proc/self/root${resolve(context.cwd, path)}`]) {
      expect(protect({ tool: "Write", input: { file_path: file, content: "x" } }, context)?.paths).toMatchObject([{ what, path: file }]);
      expect(edit(file)?.decision).toBe("ask");
    }
  });

  test.each(["HEAD", "sub/HEAD", "bare/config", "bare/hooks/post-checkout", "bare/info/attributes", "bare/config.worktree"])(
    "%s: git takes a folder of any name for a repository",
    (path) => {
      write("home/project/bare/HEAD", "ref: refs/heads/main\n");
      expect(protect({ tool: "Write", input: { file_path: path, content: "x" } }, context)?.paths).toMatchObject([
        { what: "git configuration", path },
      ]);
      expect([path, bash(`echo x > ${path}`)?.isProtected]).toEqual([path, true]);
    },
  );

  test("config and hooks of a folder that is no repository are free", () => {
    write("home/project/app/config", "x");
    for (const file_path of ["app/config", "app/hooks/use-state.ts", "src/head", "HEADER"])
      expect([file_path, protect({ tool: "Write", input: { file_path, content: "x" } }, context)]).toEqual([file_path, undefined]);
  });

  test("XDG folders and ZDOTDIR count if they are absolute", () => {
    context = {
      ...context,
      env: { XDG_STATE_HOME: join(base, "state"), XDG_CONFIG_HOME: join(base, "config"), ZDOTDIR: join(base, "zsh") },
    };
    expect(protectedPath(join(base, "state/hookloop/trust.json"), context)?.what).toBe("trust store");
    expect(protectedPath(join(base, "config/hookloop/hooks.json"), context)?.what).toBe("hook configuration");
    expect(protectedPath(join(base, "zsh/.zshrc"), context)?.what).toBe("shell start file");
  });

  test("through a linked folder, a linked file and a hard link", () => {
    symlinkSync(".claude", join(context.cwd, "folder"));
    symlinkSync(".claude/settings.local.json", join(context.cwd, "notes.json"));
    linkSync(join(context.cwd, ".claude/settings.json"), join(context.cwd, "harmless.txt"));
    for (const path of ["folder/settings.json", "notes.json", "harmless.txt", "folder//./settings.json/"]) {
      expect([path, edit(path)?.isProtected]).toEqual([path, true]);
    }
  });

  test("the file that a start file links to is the start file", () => {
    write("dotfiles/bashrc");
    rmSync(join(base, "home/.bashrc"));
    symlinkSync(join(base, "dotfiles/bashrc"), join(base, "home/.bashrc"));
    expect(protectedPath(join(base, "dotfiles/bashrc"), context)?.what).toBe("shell start file");
  });

  test("another case is the same file where case is folded", () => {
    const folding = { ...context, foldsCase: () => true };
    for (const path of [".Claude/SETTINGS.json", ".g\u200cit/hooks/x", ".GIT/config", "../.BASHRC"]) {
      expect([path, protectedPath(path, folding) !== undefined]).toEqual([path, true]);
      expect(protectedPath(path, { ...context, foldsCase: () => false })).toBeUndefined();
    }
  });

  test("MultiEdit, NotebookEdit and unknown tools that write files", () => {
    const input = { file_path: ".envrc", edits: [] };
    expect(protect({ tool: "MultiEdit", input }, context)?.isProtected).toBe(true);
    expect(protect({ tool: "NotebookEdit", input: { notebook_path: ".envrc", new_source: "" } }, context)?.isProtected).toBe(true);
    expect(protect({ tool: "mcp__fs__write", kind: "file.write", input: { path: ".envrc" } }, context)?.isProtected).toBe(true);
    expect(
      protect({ tool: "mcp__fs__move", kind: "file.write", input: { source: "x", destination: ".envrc" } }, context)?.isProtected,
    ).toBe(true);
    expect(protect({ tool: "apply", kind: "file.write", input: { uri: `file://${context.cwd}/%2Eenvrc` } }, context)?.isProtected).toBe(
      true,
    );
    expect(protect({ tool: "mcp__fs__read", kind: "file.read", input: { path: ".envrc" } }, context)).toBeUndefined();
    expect(protect({ tool: "mcp__fs__write", kind: "file.write", input: { text: ".envrc" } }, context)).toBeUndefined();
    expect(protect({ tool: "run", kind: "shell", input: { command: ["bash", "-lc", "echo x > .envrc"] } }, context)?.isProtected).toBe(
      true,
    );
  });

  test("reading is never its business", () => {
    expect(protect({ tool: "Read", input: { file_path: ".claude/settings.json" } }, context)).toBeUndefined();
    expect(protect({ tool: "Grep", input: { pattern: "x", path: ".git/hooks" } }, context)).toBeUndefined();
  });
});

describe("what the user sees", () => {
  test("the change as a diff, and a reason that names the file", () => {
    const found = edit(".claude/settings.json");
    expect(found?.diff?.split("\n").slice(2)).toEqual(["@@ -1,3 +1,3 @@", " one", "-two", "+TWO", " three"]);
    expect(found?.reason).toContain(".claude/settings.json (hook configuration");
  });

  test("a new file is shown whole", () => {
    const found = protect({ tool: "Write", input: { file_path: ".envrc", content: "export A=1\n" } }, context);
    expect(found?.diff).toBe(`--- /dev/null\n+++ ${context.cwd}/.envrc\n@@ -0,0 +1,1 @@\n+export A=1`);
  });

  test("`$&` in a replacement is only text", () => {
    const found = protect({ tool: "Edit", input: { file_path: ".claude/settings.json", old_string: "two", new_string: "$&$&" } }, context);
    expect(found?.diff).toContain("+$&$&");
  });

  test("an edit that does not apply shows its own pieces", () => {
    const found = protect({ tool: "Edit", input: { file_path: ".envrc", old_string: "a", new_string: "b" } }, context);
    expect(found?.diff).toContain("-a");
    expect(found?.diff).toContain("+b");
  });
});

describe("shell commands may not either", () => {
  test.each([
    "echo '{}' > .claude/settings.json",
    "ln -s .claude/settings.json notes && echo x > notes",
    "ln -s .claude folder && echo x > folder/settings.json",
    "ln .claude/settings.json twin && echo x > twin",
    "cp -l .claude/settings.json twin && echo x > twin",
    "xxd -r dump .claude/settings.json",
    "uniq lines .claude/settings.json",
    "awk -v f=.claude/settings.json 'BEGIN{print 1 > f}'",
    "php -r 'file_put_contents(\".claude/settings.json\", 1);'",
    "git bundle create .claude/settings.json HEAD",
    "echo 'gitdir: ../evil' > sub/.git",
    "echo '{}' >> .claude/settings.local.json",
    "echo '{}' >| .hookloop/hooks.json",
    "echo '{}' &> .hooks.json",
    "cat <> .envrc",
    "> .envrc",
    "{ echo a; echo b; } > .envrc",
    "for x in 1; do echo $x; done > .envrc",
    "echo x | tee .claude/settings.json",
    "echo x | sudo tee -a /etc/hookloop/hooks.json",
    "cat <<'EOF' > .claude/settings.json\n{}\nEOF",
    "mv evil.json .claude/settings.json",
    "mv .claude/settings.json old.json",
    "mv .claude .claude.off",
    "mv ../evil/.claude .",
    "mv ../project ../elsewhere",
    "cp ../evil/settings.json .claude",
    "cp ../evil/settings.json .claude/",
    "cp -t .claude ../evil/settings.json",
    "cp -r ../evil/. .",
    "cp -r ../evil/.claude .",
    "ln -s ../evil/settings.json .claude/settings.local.json",
    "ln -sf ../evil/settings.json .claude/settings.json",
    "ln -s ../evil .hookloop",
    "ln ../evil/settings.json .hooks.json",
    "rm .claude/settings.json",
    "rm -rf .claude",
    "rm -rf .git",
    "rm -rf ../project",
    "rm -rf .claude/*",
    "rm -f .claude/settings*.json",
    "rm -f .cl*/settings.json",
    "rm -rf .*",
    "unlink .git/hooks/pre-commit",
    "shred -u scripts/check.sh",
    "sed -i s/a/b/ .claude/settings.json",
    "sed -i.bak -e s/a/b/ scripts/check.sh",
    "sed --in-place s/a/b/ scripts/check.sh",
    "sed -n 'w .envrc' src/a.ts",
    "perl -pi -e s/a/b/ .claude/settings.json",
    "awk -i inplace '{print}' .envrc",
    "python -c \"open('.claude/settings.json','w').write('{}')\"",
    "python3 - <<'EOF'\nfrom pathlib import Path\nPath('.envrc').write_text('x')\nEOF",
    "node -e \"require('fs').writeFileSync('.hookloop/hooks.json','{}')\"",
    "ruby -e \"File.write('.envrc', 'x')\"",
    "awk 'BEGIN { print 1 > \".envrc\" }'",
    "dd if=/dev/null of=.claude/settings.json",
    "dd of=~/.bashrc if=x",
    "install -m 755 evil.sh .git/hooks/pre-commit",
    "install evil.sh scripts/check.sh",
    "rsync -a ../evil/ .claude/",
    "rsync -a ../evil/.claude/ .claude",
    "git checkout main -- .claude/settings.json",
    "git checkout HEAD~1 .claude",
    "git restore .claude/settings.json",
    "git rm .claude/settings.json",
    "git mv .claude/settings.json x",
    "git -C .. mv project other",
    "git config core.hooksPath /tmp/hooks",
    "git config --global alias.st '!sh x'",
    "git config core.fsmonitor ./x",
    "git -C sub config --local core.sshCommand x",
    "git config --unset core.hooksPath",
    "git apply <<'EOF'\n--- /dev/null\n+++ b/.envrc\n@@ -0,0 +1 @@\n+x\nEOF",
    "tar -xf x.tar -C .claude",
    "tar xzf x.tgz .claude/settings.json",
    "tar xf dotfiles.tar -C ~",
    "unzip x.zip -d .git/hooks",
    "curl -o .envrc https://example.com/x",
    "curl -o.envrc https://example.com/x",
    "curl -O https://example.com/.envrc",
    "wget -O .git/hooks/pre-push https://example.com/x",
    "sort -o .envrc x",
    "chmod +x .git/hooks/pre-commit",
    "chmod -R 777 .git",
    "chmod 000 .claude",
    "chown nobody .claude",
    "chattr +i .claude",
    "setfacl -m u::0 .claude",
    "mount --bind src .claude",
    "mount -o bind src .claude",
    "mount -t tmpfs none .claude",
    "mount -t overlay overlay -o lowerdir=src .claude",
    "mount --target .claude --source src",
    "mount --bind src .",
    "mount -t tmpfs none ~",
    "mount --bind .claude /mnt/x",
    "mount --bind /tmp/x ~/.local/state/hookloop",
    "sudo mount --bind src .claude",
    "unshare -m mount --bind src .claude",
    "umount .claude",
    "umount -l ~/.local/state/hookloop",
    "bindfs src .claude",
    "sshfs host:/x .claude",
    "fusermount -u .claude",
    "truncate -s 0 scripts/check.sh",
    "touch .envrc",
    "vim -c wq .envrc",
    "find .claude -delete",
    "find . -name settings.json -delete",
    "find . -name 'settings*' -exec rm {} \\;",
    "find . -type f -exec sed -i s/a/b/ {} +",
    "echo .envrc | xargs rm",
    "f=.envrc; echo x > $f",
    'f=.envrc; echo x > "$f"',
    "for f in .envrc; do echo x > $f; done",
    "echo x > $DIR/.claude/settings.json",
    "echo x > .claude/$NAME",
    "echo x > ~/$NAME",
    "cd .claude && echo x > settings.json",
    "cd $X && echo x > .claude/settings.json",
    "(cd .git/hooks; cp ~/x pre-push)",
    "pushd .claude; rm settings.json",
    "bash -c 'echo x > .envrc'",
    'sudo sh -c "echo x >> ~/.bashrc"',
    "eval 'echo x > .envrc'",
    "echo x > ~/.bashrc",
    "echo x >> $HOME/.zshrc",
    "echo x >> ${HOME}/.profile",
    "echo x > $PWD/.envrc",
    "echo x > /proc/self/root$PWD/.envrc",
    "echo x > /proc/self/cwd/.envrc",
    "echo x > src/../.envrc",
    "echo x > .//.envrc",
    "echo x > '.env'rc",
    "echo x > .claude/{settings,other}.json",
    "crontab -",
    "echo '* * * * * x' | crontab -",
    "crontab jobs.txt",
    "HOOKLOOP_DISABLE=1 hookloop agent",
    "export HOOKLOOP_TRUST=implicit",
    "env HOOKLOOP_X=1 npm test",
    "CLAUDE_CODE_DISABLE_HOOKS=1; claude",
    "unset HOOKLOOP_DEPTH",
    "find .claude -type f | xargs rm",
    "ls .claude/settings.json | xargs rm",
    "node -p \"require('fs').rmSync('.claude', { recursive: true })\"",
    "python3 -c \"Path('.claude', 'settings.json').write_text('')\"",
    "echo x >> ~root/.bashrc",
    "echo x >> ${HOME:-/root}/.bashrc",
    "eval HOOKLOOP_A=1",
    "export $(echo HOOKLOOP_A=1)",
    "git init --template=/tmp/t",
    "systemctl --user enable ./x.service",
    "npx some-tool --write .claude/settings.json",
    "./tool --out=.envrc",
    "hookloop trust approve project:PreToolUse:0123456789",
    "hookloop trust revoke project:PreToolUse:0123456789",
    "hookloop trust review",
    "hookloop trust --json approve x",
    "npx hookloop trust revoke x",
    "npx -y hookloop@latest trust revoke x",
    "node node_modules/.bin/hookloop trust approve x",
    "node --no-warnings /opt/hookloop/bin/hookloop.js trust approve x",
    "./node_modules/.bin/hookloop trust approve x",
    "pnpm exec hookloop trust approve x",
    "bunx hookloop trust approve x",
    'script -qec "hookloop trust review" /dev/null',
    "sh -c 'hookloop trust approve x'",
    "sudo -u ada env A=1 hookloop trust approve x",
    "XDG_STATE_HOME=/tmp/x hookloop trust approve x",
    "echo 'hookloop trust approve x' | sh",
    "echo trust approve x | xargs hookloop",
    "hookloop trust | cut -d' ' -f1 | xargs -n1 hookloop trust approve",
    "for id in $(hookloop trust --json | jq -r .[].id); do hookloop trust approve $id; done",
    "V=approve; hookloop trust $V x",
    "H=hookloop; $H trust approve x",
    "cp node_modules/.bin/hookloop h.js && node h.js trust approve x",
    "node -e \"require('child_process').execFileSync('hookloop', ['trust', 'approve', 'x'])\"",
    "python3 - <<'EOF'\nimport subprocess\nsubprocess.run(['hookloop', 'trust', 'revoke', 'x'])\nEOF",
    "tmux new-session -d 'hookloop trust approve x'",
    "git -c alias.x='!hookloop trust approve x' x",
    "find . -maxdepth 0 -exec hookloop trust revoke x ';'",
    "hookloop trust approve x &",
    "eval hookloop trust approve x",
    "coproc hookloop trust approve x",
  ])("%s", (command) => {
    expect(bash(command)?.isProtected).toBe(true);
  });

  test("through a linked folder and to a hard link", () => {
    symlinkSync(".claude", join(context.cwd, "folder"));
    linkSync(join(context.cwd, ".claude/settings.json"), join(context.cwd, "harmless.txt"));
    for (const command of [
      "echo x > folder/settings.json",
      "echo x >> harmless.txt",
      "cd folder && rm settings.json",
      "touch folder/settings.local.json",
    ]) {
      expect([command, bash(command)?.isProtected]).toEqual([command, true]);
    }
    // The link itself is nothing.
    expect(bash("rm folder")).toBeUndefined();
  });

  test("git clean deletes untracked configuration, and never what git keeps in .git", () => {
    expect(bash("git clean -fdx")?.paths.every(({ path }) => !path.includes("/.git/"))).toBe(true);
    expect(bash("git clean -fdx src")).toBeUndefined();
    rmSync(join(context.cwd, ".claude"), { recursive: true });
    context = { ...context, scripts: [] };
    expect(bash("git clean -fdx")).toBeUndefined();
    expect(bash("rm -rf .git")?.isProtected).toBe(true);
  });

  test("a patch file is read for the names in it", () => {
    write("home/project/evil.patch", "--- a/.vscode/tasks.json\n+++ b/.vscode/tasks.json\n@@ -1 +1 @@\n-a\n+b\n");
    write("home/project/good.patch", "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n");
    const named = ["patch -p1 < NAME.patch", "git apply NAME.patch", "patch -p1 -i NAME.patch", "git am NAME.patch"];
    const onInput = [
      "git apply - < NAME.patch",
      "git am - < NAME.patch",
      "cat NAME.patch | git apply",
      "sed s/a/c/ NAME.patch | patch -p1",
    ];
    for (const command of [...named, ...onInput]) {
      expect([command, bash(command.replace("NAME", "evil"))?.isProtected]).toEqual([command, true]);
      expect([command, bash(command.replace("NAME", "good"))]).toEqual([command, undefined]);
    }
    expect(bash("sed s,src/a.ts,.vscode/tasks.json, good.patch | patch -p1")?.isProtected).toBe(true);
  });
});

describe("ordinary work is not asked about", () => {
  test.each([
    "mount",
    "mount -l",
    "mount /dev/sdb1 /mnt/usb",
    "umount /mnt/usb",
    "sshfs host:/x /mnt/x",
    "rclone copy src remote:x",
    "chmod 755 src",
    "chmod 755 .",
    "chmod -R 755 src",
  ])("%s", (command) => expect(bash(command)).toBeUndefined());

  test.each([
    "ls -la",
    "cat .claude/settings.json",
    "ln -s ../shared/notes.md notes.md && echo x >> notes.md",
    "xxd .claude/settings.json",
    "git init sub",
    "git clone https://example.com/x.git",
    "git worktree add ../other",
    "ls -la .git && du -sh .git",
    "find . -path ./.git -prune -o -name '*.ts' -print",
    "tar czf ../backup.tgz --exclude=.git .",
    "awk -v f=.claude/settings.json '{print f, $1}' lines",
    "cat .claude/settings.json | jq .hooks",
    "grep -rn hooks .claude",
    "less ~/.bashrc",
    "diff .claude/settings.json other.json",
    "cp .claude/settings.json /tmp/backup.json",
    "cp .envrc .envrc.example",
    "head -5 .git/config > out.txt",
    "git status",
    "git add .claude/settings.json && git commit -m 'Change .claude/settings.json'",
    "git diff .claude",
    "git log -- .claude/settings.json",
    "git checkout -b feature",
    "git checkout main",
    "git checkout -- src/a.ts",
    "git checkout .",
    "git restore .",
    "git restore --staged .claude/settings.json",
    "git rm --cached .envrc",
    "git config user.name x",
    "git config --get core.hooksPath",
    "git config core.hooksPath",
    "git config --list",
    "git config core.fsmonitor true",
    "git config alias.st status",
    "git clone https://example.com/x.git",
    "git push origin main",
    "git stash && git pull --rebase",
    "npm test",
    "npm install --save-dev vitest",
    "npm run build > build.log 2>&1",
    "npx tsc --noEmit 2>/dev/null",
    "npx vitest run src/a.test.ts",
    "node scripts/build.mjs --out=dist",
    "echo '{}' | bash scripts/check.sh",
    "echo '{}' | node .claude/hooks/guard.mjs",
    "shellcheck scripts/check.sh",
    "rm -rf dist",
    "rm -rf node_modules package-lock.json",
    "rm -f *.log",
    "rm -rf dist/*",
    "rm -rf build/$TARGET",
    "rm *",
    "mkdir -p .claude/skills src/new",
    "mkdir .vscode",
    "mv src/a.ts src/b.ts",
    "mv *.ts src/",
    "cp -r src lib",
    "cp -r ../evil/settings.json fixtures/settings.json",
    "sed -i s/a/b/ src/*.ts",
    "sed -n 1,20p .claude/settings.json",
    "sed 's/w /x/' .envrc",
    "perl -pi -e 's/a/b/' src/a.ts",
    "chmod +x scripts/build.sh",
    "chmod -R u+w src",
    "touch src/new.ts",
    "echo done > $OUT",
    'echo done > "$TMPDIR/x.log"',
    "echo x > notes-$DATE.md",
    "cat > src/x.ts <<'EOF'\nwriteFileSync('.claude/settings.json')\nEOF",
    "find . -name '*.orig' -delete",
    "find src -name '*.ts' | xargs wc -l",
    "find . -name '*.js' -exec sed -i s/a/b/ {} +",
    "find . -type d -name node_modules -exec rm -rf {} +",
    "grep -rl foo src | xargs sed -i s/foo/bar/",
    "tar xzf release.tgz",
    "tar czf out.tgz .claude src",
    "tar -xf x.tar -C vendor",
    "unzip fonts.zip -d assets",
    "curl -o data.json https://example.com/x",
    "curl -s https://example.com | jq .",
    "python -c \"print(open('.claude/settings.json').read())\"",
    "python3 -m pytest -q",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "docker build -t app .",
    "make -j4 test",
    "cargo build --release",
    "go test ./...",
    "export NODE_ENV=test && npm test",
    "FOO=1 npm run x",
    "grep -rn 'HOOKLOOP_DISABLE=1' src",
    "echo 'HOOKLOOP_X=1'",
    "crontab -l",
    "vim src/a.ts",
    "ln -s ../lib src/lib",
    "rsync -a src/ dist/",
    "tee out.log < in.txt",
    "cd src && touch b.ts && cd ..",
    "source ~/.bashrc && npm test",
    "cat ~/.ssh/config",
    "ssh-keygen -lf ~/.ssh/id_ed25519.pub",
    "hookloop trust",
    "hookloop trust --json | jq .",
    "hookloop trust export",
    "npx hookloop trust review --json",
    "hookloop events PreToolUse",
    "hookloop agent -p 'go on'",
    "grep -rn 'hookloop trust approve' docs",
    "echo run hookloop trust approve yourself",
    "git commit -m 'Document hookloop trust approve'",
    "gh pr create --title x --body 'then: hookloop trust review'",
    "mise trust",
  ])("%s", (command) => {
    expect(bash(command)).toBeUndefined();
  });

  test.each([
    "src/a.ts",
    "README.md",
    "package.json",
    ".gitignore",
    ".claude/notes.md",
    ".hookloop/contexts/a.json",
    ".github/workflows/ci.yml",
    "settings.json",
    "config/hooks.jsonc",
    "/tmp/x",
    "scripts/build.sh",
    "docs/.bashrc.md",
  ])("Write %s", (file_path) => {
    expect(protect({ tool: "Write", input: { file_path, content: "x" } }, context)).toBeUndefined();
  });
});

describe("nonsense neither throws nor takes long", () => {
  test.each([
    [{}],
    [{ file_path: 5 }],
    [{ file_path: "" }],
    [{ file_path: "x".repeat(100_000) }],
    [{ file_path: `${"../".repeat(20_000)}x` }],
    [{ file_path: "\ud800/\u0007" }],
    [{ file_path: null, content: {} }],
    [{ command: 5 }],
    [{ command: "\0" }],
    [{ command: "'" }],
    [{ command: "((((" }],
    [{ command: `rm ${"[a-".repeat(2_000)}` }],
    [{ command: `rm ${"*?".repeat(2_000)}/x` }],
    [{ command: `echo ${"{a,b}".repeat(500)} > x` }],
  ])("%j", (input) => {
    const used = processorMs(() => {
      for (const tool of ["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash"])
        expect(() => protect({ tool, input }, context)).not.toThrow();
    });
    expect(used).toBeLessThan(3_000);
  });

  test("what stands before a NUL is the path", () => {
    expect(edit(".envrc\0.txt")?.isProtected).toBe(true);
  });

  test("a command that changes a thousand files is checked to the last one", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `>f${index}`).join(" ");
    const used = processorMs(() => {
      expect(bash(`x ${many}`)).toBeUndefined();
      expect(bash(`x ${many} > .envrc`)?.isProtected).toBe(true);
    });
    expect(used).toBeLessThan(5_000);
  });

  test("one that is too long to read is asked about if it names something protected", () => {
    const long = `echo ${"x ".repeat(10_000)}`;
    expect(bash(`${long} > .envrc`)?.isProtected).toBe(true);
    expect(bash(long)).toBeUndefined();
  });
});
