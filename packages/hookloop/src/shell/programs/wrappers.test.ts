import { expect, test } from "vitest";
import { readCommand } from "../read-command.ts";
import { type ShellCommand, UNKNOWN } from "../types.ts";
import { plainWords } from "./program.ts";

const wordsOf = ({ words }: ShellCommand): string => words.map(({ text }) => text.replaceAll(UNKNOWN, "?")).join(" ");

test.each([
  ["timeout 5 nice npm test", true],
  ["xargs npm test", true],
  ["time -p npm test", true],
  ["xargs -n 1 npm test", false],
  ["sudo npm test", false],
  ["timeout 5 sudo npm test", false],
  ["sudo timeout 5 npm test", false],
  ["env npm test", false],
  ["bash -c 'npm test'", false],
])("allow rules may look through the wrappers of %j: %j", (text, isPlain) => {
  const { commands } = readCommand(text);
  const inner = commands.find(({ words }) => words[0]?.text === "npm");
  expect(inner?.isPlainlyWrapped).toBe(isPlain);
  expect(inner?.startedBy).toBe(inner?.wrappers.length ? commands.length - 2 : undefined);
});

test.each([
  ["git -C dir push --force", "git push --force"],
  ["git --no-pager -c x=y --git-dir=z push", "git push"],
  ["/usr/bin/git push", "git push"],
  ["docker -H h exec c ls", "docker exec c ls"],
  ["kubectl -n x --context y delete pod z", "kubectl delete pod z"],
  ["cargo +nightly -q test", "cargo test"],
  ["terraform -chdir=x destroy", "terraform destroy"],
  ["npm --prefix x run y", "npm run y"],
  ["ls -la", "ls -la"],
])("the plain words of %j are %j", (text, expected) => {
  expect(
    plainWords(readCommand(text).commands[0]?.words ?? [])
      .map((word) => word.text)
      .join(" "),
  ).toBe(expected);
});

test.each([
  ["git -C . push", ["git -C . push"]],
  ["git -c alias.x='!rm -rf /' x", ["git -c alias.x=!rm -rf / x", "rm -rf /"]],
  ["git config --global alias.x '!rm y'", ["git config --global alias.x !rm y", "rm y"]],
  ["git rebase -x 'rm y' main", ["git rebase -x rm y main", "rm y"]],
  ["git bisect run rm y", ["git bisect run rm y", "rm y"]],
  ["git submodule foreach --recursive 'rm y'", ["git submodule foreach --recursive rm y", "rm y"]],
  ["docker run --rm -v /:/x img rm y", ["docker run --rm -v /:/x img rm y", "rm y"]],
  ["docker compose -f f exec -T web rm y", ["docker compose -f f exec -T web rm y", "rm y"]],
  ["kubectl exec pod -c x -- rm y", ["kubectl exec pod -c x -- rm y", "rm y"]],
  ["ssh -p 22 u@h 'rm y; ls'", ["ssh -p 22 u@h rm y; ls", "rm y", "ls"]],
  ["su - root -c 'rm y'", ["su - root -c rm y", "rm y"]],
  ["su root -c 'rm y'", ["su root -c rm y", "rm y"]],
  ["runuser -u x -- rm y", ["runuser -u x -- rm y", "rm y"]],
  ["flock f -c 'rm y'", ["flock f -c rm y", "rm y"]],
  ["flock -n f rm y", ["flock -n f rm y", "rm y"]],
  ["script -qc 'rm y' /dev/null", ["script -qc rm y /dev/null", "rm y"]],
  ["strace -f -o x rm y", ["strace -f -o x rm y", "rm y"]],
  ["chroot --userspec=a d rm y", ["chroot --userspec=a d rm y", "rm y"]],
  ["unshare -r --wd=x rm y", ["unshare -r --wd=x rm y", "rm y"]],
  ["nsenter -t 1 -m rm y", ["nsenter -t 1 -m rm y", "rm y"]],
  ["taskset -c 0 rm y", ["taskset -c 0 rm y", "rm y"]],
  ["chrt -f 10 rm y", ["chrt -f 10 rm y", "rm y"]],
  ["systemd-run --user --scope rm y", ["systemd-run --user --scope rm y", "rm y"]],
  ["tmux new -d -s x 'rm y'", ["tmux new -d -s x rm y", "rm y"]],
  ["tmux send-keys -t x 'rm y' Enter", ["tmux send-keys -t x rm y Enter", "rm y"]],
  ["screen -dmS x rm y", ["screen -dmS x rm y", "rm y"]],
  ["nix-shell -p a --run 'rm y'", ["nix-shell -p a --run rm y", "rm y"]],
  ["fd -e x -x rm", ["fd -e x -x rm", "rm ?"]],
  ["parallel ::: 'rm y' ls", ["parallel ::: rm y ls", "rm y", "ls"]],
  ["parallel rm -rf ::: a 'b c'", ["parallel rm -rf ::: a b c", "rm -rf a", "rm -rf b c"]],
  ["alias x='rm y'", ["alias x=rm y", "rm y"]],
  ["toybox rm y", ["toybox rm y", "rm y"]],
  ["fish -c 'rm y'", ["fish -c rm y", "rm y"]],
  ["bash -n -c 'rm y'", ["bash -n -c rm y"]],
  ["sh -c 'rm $1' _ y", ["sh -c rm $1 _ y", "rm y"]],
])("%j runs %j", (text, expected) => {
  expect(readCommand(text).commands.map(wordsOf)).toEqual(expected);
  expect(readCommand(text).doubts).toEqual([]);
});

test.each([
  ["echo / | xargs rm -rf", ["rm -rf /"]],
  ["printf 'a\\nb c\\n' | xargs -I% rm x%", ["rm xa", "rm xb c"]],
  ["echo a b | xargs -n1 rm", ["rm a", "rm b"]],
  ["echo a | xargs -0 rm", ["rm ?"]],
  ['echo "it\'s" | xargs rm', ["rm ?"]],
  ["ls | xargs -I% rm %", ["rm ? ?"]],
  ["echo a b | { read -n1 x; xargs rm; }", ["rm ?"]],
])("xargs makes %j into %j", (text, expected) => {
  expect(
    readCommand(text)
      .commands.filter(({ wrappers }) => wrappers.includes("xargs"))
      .map(wordsOf),
  ).toEqual(expected);
});

test("a loop over known words is read for each of them, one over patterns once as unknown and once as each pattern", () => {
  expect(readCommand("for d in / '/a b'; do rm -rf \"$d\"; done").commands.map(wordsOf)).toEqual(["rm -rf /", "rm -rf /a b"]);
  expect(readCommand("for d in *; do rm $d; done").commands.map(wordsOf)).toEqual(["rm ?", "rm ?"]);
  const parts = readCommand("for d in *.md; do rm $d; done").commands.map(({ words }) => words[1]?.parts[0]?.kind);
  expect(parts).toEqual(["variable", "glob"]);
});

test("text that something else has read from is no script for certain", () => {
  expect(readCommand("echo 'xrm y' | { read -n1 z; sh; }").doubts.map(({ code }) => code)).toEqual(["piped-script"]);
});
