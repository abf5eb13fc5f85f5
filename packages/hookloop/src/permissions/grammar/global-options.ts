import type { ShellCommand } from "../../shell/index.ts";

type ShellWord = ShellCommand["words"][number];

/** Options that stand between a program and its subcommand, and take the next word as their value. Others are flags. */
const VALUE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  git: ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
  docker: ["--config", "-c", "--context", "-H", "--host", "-l", "--log-level", "--tlscacert", "--tlscert", "--tlskey"],
  podman: ["--connection", "-c", "--url", "--identity", "--log-level", "--root", "--runroot", "--storage-driver"],
  kubectl: ["-n", "--namespace", "--context", "--cluster", "--kubeconfig", "--user", "-s", "--server", "--token", "--as"],
  npm: ["--prefix", "-C", "--workspace", "-w", "--userconfig", "--registry", "--loglevel"],
  pnpm: ["--dir", "-C", "--filter", "-F"],
  yarn: ["--cwd"],
  cargo: ["--config", "-C", "--color", "-Z"],
  gh: ["-R", "--repo"],
  systemctl: ["-H", "--host", "-M", "--machine", "--root"],
};

/** The words without the program's global options: `git -C . push` is `git push`. Nothing if there are none. */
export function withoutGlobalOptions(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const [name, ...rest] = words;
  const program = name?.text.slice(name.text.lastIndexOf("/") + 1) ?? "";
  const options = Object.hasOwn(VALUE_OPTIONS, program) ? VALUE_OPTIONS[program] : undefined;
  if (!name || !options) return undefined;
  let at = 0;
  while (rest[at]?.text.startsWith("-")) at += options.includes(rest[at]?.text ?? "") ? 2 : 1;
  return at === 0 ? undefined : [name, ...rest.slice(at)];
}
