import { readArguments } from "../../arguments/read-arguments.ts";
import { type Call, clearlyHas, operand, type Report } from "../call/call.ts";
import { effective } from "./options.ts";

const VALUED: ReadonlySet<string> = new Set(["--repo", "-o", "--push-option", "--receive-pack", "--exec"]);
/** Branches that others build on, and tags. */
const SHARED =
  /^(?:refs\/heads\/)?(?:main|master|trunk|develop|dev|development|staging|stable|production|prod|release(?:s)?(?:[/-].*)?|hotfix[/-].*|gh-pages|head|refs\/tags\/.*|v?\d+(?:\.\d+)+(?:[-+.].*)?)$/i;

/** Pushing is safe until it replaces or deletes what is there. */
export function judgePush(call: Call, report: Report): void {
  if (clearlyHas(call, "--help")) return;
  const given = effective(readArguments(call.words.slice(1), VALUED), call.name);
  const names = given.options.map(({ name }) => name);
  if (names.some((name) => name === "-n" || /^--dry-?\w*$/.test(name))) return;
  const refs = given.operands.slice(1);
  if (names.some((name) => name === "-d" || /^--de(?:l(?:e(?:t(?:e)?)?)?)?$/.test(name)) || refs.some(({ text }) => /^\+?:./.test(text))) {
    report("git-rewrites-history", "it deletes a branch or tag of the remote");
  }
  if (names.some((name) => /^--mi(?:r(?:r(?:o(?:r)?)?)?)?$|^--pru(?:n(?:e)?)?$/.test(name)))
    report("git-rewrites-history", "it deletes what the remote has and this repository has not");
  const plus = refs.find(({ text }) => text.startsWith("+") || text.includes(":+"));
  if (plus) report("git-rewrites-history", "it replaces the history of the remote", plus);
  if (names.includes("-f") || names.some((name) => /^--forc?e?$/.test(name)))
    judgeForce(
      refs.map(({ text }) => text),
      report,
    );
}

function judgeForce(refs: readonly string[], report: Report): void {
  const targets = refs.map((ref) => ref.slice(ref.indexOf(":") + 1));
  const isTopic = targets.length > 0 && targets.every((target) => !SHARED.test(target) && /^[\w./-]+$/.test(target));
  if (isTopic) report("git-rewrites-topic", "it replaces the history of a branch on the remote");
  else report("git-rewrites-history", "it replaces the history of the remote");
}

const NETWORK =
  /^(?:push|http-push|remote-\w+|imap-send|request-pull|fetch|pull|clone|ls-remote|submodule|send-pack|fetch-pack|http-fetch|maintenance|subtree|svn|lfs|backfill|p4|send-email)$/;

/** Whether a sub-command talks to a remote. */
export function isNetwork(call: Call): boolean {
  if (NETWORK.test(call.name)) return true;
  if (call.name === "remote")
    return call.given.operands.some(({ text }) => /^(?:update|show|prune|set-head|add)$/.test(text)) && operand(call, 0) !== "";
  return call.name === "archive" && call.given.options.some(({ name }) => /^--rem/.test(name) || name === "--exec");
}
