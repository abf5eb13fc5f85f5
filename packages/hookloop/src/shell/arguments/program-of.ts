import type { ShellWord } from "../types.ts";

const VERSIONED = /^(python|pypy|ipython|node|perl|ruby|php|pip|lua|bash|zsh|ksh)[\d.]+(?:w|js)?$/;
const SAME_AS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  nodejs: "node",
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  "original-awk": "awk",
  bwk: "awk",
  igawk: "awk",
  goawk: "awk",
  frawk: "awk",
  luajit: "lua",
  newfs: "mkfs",
  mkntfs: "mkfs",
  mkdosfs: "mkfs",
  dcfldd: "dd",
  dc3dd: "dd",
  pypy: "python",
  ipython: "python",
  tsx: "node",
  "ts-node": "node",
  py: "python",
  podman: "docker",
  nerdctl: "docker",
  tofu: "terraform",
  oc: "kubectl",
  pnpm: "npm",
  bun: "npm",
  gfind: "find",
  grm: "rm",
  ggit: "git",
  hub: "git",
  mariadb: "mysql",
  "valkey-cli": "redis-cli",
  mongo: "mongosh",
});

/** The name by which rules know a program. */
export function programOf(word: ShellWord | undefined): string {
  const source = word?.source ?? "";
  // Other shells keep the backslashes of `C:\tools\git.exe`.
  const text = /^[A-Za-z]:\\\w/.test(source) ? source : (word?.text ?? "");
  const name = text
    .replace(/^\.\\(?=\w)/, "")
    .slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1)
    .toLowerCase();
  const plain = name.replace(/\.(?:exe|cmd|bat)$/, "").replace(/^(?:mkfs|newfs)[._].*$/, "mkfs");
  const base = VERSIONED.exec(plain)?.[1] ?? plain;
  return SAME_AS[base] ?? base;
}
