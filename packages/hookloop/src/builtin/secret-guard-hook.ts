/** Keeps secrets out of the model's hands: files that hold them, text that is one, and what a tool gave back. It prevents accidents; docs/security.md says what it does not see. */

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { ask, deny, type HookHandler, replaceOutput } from "@hookloop/sdk";
import { isObject } from "../check-options.ts";
import type { SessionPlace } from "../engine/index.ts";
import { matchesSome, readRules, realTarget } from "../permissions/index.ts";
import { globsPattern, NO_SECRET, SECRETS_ANYWHERE, SECRETS_AT_HOME, SECRETS_BY_ENDING, SECRETS_OF_SYSTEM } from "../secret-files.ts";
import { assessCommand, liesIn, programName, readingOf, remembered, type ShellReading, wordSet } from "../shell/index.ts";
import { createRedactor, type Redactor } from "../trace/index.ts";
import { type CallEffect, effectOf, type ShellEffect } from "./call-effect.ts";
import type { ShippedHook } from "./index.ts";

export interface SecretGuardOptions {
  /** Take secrets out of what tools give back, and hand on the rest. */
  readonly redact?: boolean | undefined;
  /** More files that hold secrets, as globs. */
  readonly files?: readonly string[] | undefined;
  /** Files that hold none, whatever they are called, as globs. */
  readonly allow?: readonly string[] | undefined;
}

type Place = Pick<SessionPlace, "home" | "env">;

export function secretGuard({ home, env }: Place, options: SecretGuardOptions = {}): ShippedHook {
  const judgeFiles = fileJudge(home, options);
  let redactor: Redactor | undefined;
  const redact = (text: string): string => {
    redactor ??= createRedactor(env);
    return redactor.text(text);
  };
  const before: HookHandler<"PreToolUse", string> = (call) => {
    const effect = effectOf(call, home, withoutListings);
    const files = judgeFiles(effect, call.cwd);
    if (files) return files;
    const written = [...effect.texts, ...effect.commands.filter(writesText).map(({ command }) => command)];
    const found = written.flatMap((text) => secretsIn(text, redact));
    return found.length === 0 ? undefined : deny(`secret-guard: it would write ${described(found)} into a file. ${CURE}`);
  };
  const after: HookHandler<"PostToolUse", string> = ({ tool_response }) => {
    const { value, count } = cleaned(tool_response, redact, options.redact === true);
    if (count === 0) return undefined;
    return replaceOutput(value);
  };
  return {
    name: "secret-guard",
    parts: [
      { event: "PreToolUse", options: { guard: true }, handler: before },
      { event: "PostToolUse", options: { guard: true }, handler: after },
    ],
  };
}

const CURE = "Name the variable that holds it, and let the program read that";
const NOT_READ = 'Ask the user for what you need of it. The user can name it in "allow" of secret-guard';

/** Programs that say that a file is there, not what is in it. */
const SHOWS_NAMES = wordSet(
  "ls dir test [ [[ stat file du tree realpath readlink basename dirname echo printf chmod chown mkdir rm rmdir touch unlink",
);
const GIT_NAMES = /^(?:add|rm|check-ignore|ls-files|status|restore|mv|update-index)$/;

/** A name that is only listed is not read: such commands are left out, as if they did nothing. */
function withoutListings(text: string): ShellReading {
  return withoutListed(readingOf(text));
}

const withoutListed: (reading: ShellReading) => ShellReading = remembered((reading) => {
  const isListing = ({ words }: ShellReading["commands"][number]): boolean => {
    const [name = "", ...rest] = words.map((word) => word.text);
    return SHOWS_NAMES.has(basename(name)) || (basename(name) === "git" && GIT_NAMES.test(rest[0] ?? ""));
  };
  if (!reading.commands.some(isListing)) return reading;
  const commands = reading.commands.map((one) => (isListing(one) ? { ...one, words: one.words.slice(0, 1) } : one));
  return { ...reading, commands, tests: [] };
}, new WeakMap());

type JudgeFiles = (effect: CallEffect, cwd: string) => ReturnType<typeof deny | typeof ask> | undefined;

function fileJudge(home: string, { files = [], allow = [] }: SecretGuardOptions): JudgeFiles {
  const inFolders = (globs: readonly string[]): RegExp => new RegExp(globsPattern(globs).source.replace(/^\^/, "^(?:.*/)?"), "i");
  const atHome = new RegExp(globsPattern(SECRETS_AT_HOME).source, "i");
  const ofSystem = globsPattern(SECRETS_OF_SYSTEM);
  const anywhere = inFolders([...SECRETS_ANYWHERE, ...files]);
  const byEnding = inFolders(SECRETS_BY_ENDING);
  const allowed = inFolders(allow.length > 0 ? allow : ["\0"]);
  const isSecret = (path: string, isSure: boolean): boolean => {
    if (NO_SECRET.test(path) || allowed.test(path)) return false;
    if (ofSystem.test(path) || anywhere.test(path)) return true;
    if (liesIn(home, path) && atHome.test(path.slice(home.length + 1))) return true;
    return byEnding.test(path) && (isSure || existsSync(path));
  };
  /** By every name that it has. */
  const secretAt = (path: string, cwd: string, isSure: boolean): boolean => {
    const { written, path: real } = realTarget(path, { cwd });
    return isSecret(written, isSure) || (real !== written && isSecret(real, isSure));
  };
  let rules: RuleList | undefined;
  const holdsSecrets = ({ facts }: ShellEffect): boolean => {
    rules ??= folderRules(home, files);
    return matchesSome(rules, facts);
  };
  return ({ commands, reads, writes }, cwd) => {
    const read = [...reads].filter((file) => secretAt(file, cwd, true));
    const written = [...writes].filter((file) => secretAt(file, cwd, true));
    for (const { touched } of commands) {
      for (const { isWrite, files: named } of touched)
        (isWrite ? written : read).push(...named.filter((file) => secretAt(file, cwd, false)));
    }
    const facts = commands.flatMap((one) => secretFacts(one, cwd, home));
    const texts = [...named("read", read), ...named("write", written), ...(read.length + written.length === 0 ? facts : [])];
    if (texts.length > 0) return deny(`secret-guard: it would ${texts.join(" and ")}. ${NOT_READ}`);
    const isWhole = commands.some((one) => reachesFolders(one) && holdsSecrets(one));
    return isWhole
      ? ask("secret-guard: it goes through a folder in which files with secrets are. Leave them out, or name the files")
      : undefined;
  };
}

const MOST = 3;

function named(verb: string, files: readonly string[]): readonly string[] {
  const all = [...new Set(files)];
  const rest = all.length > MOST ? ` and ${all.length - MOST} more` : "";
  return all.length === 0 ? [] : [`${verb} ${all.slice(0, MOST).join(", ")}${rest}, which usually holds secrets`];
}

const SECRET_FACTS = wordSet("reads-secret sends-secret changes-secret");

/** What the words behind a program must have in them. */
const SHOWS_SECRETS: Readonly<Record<string, RegExp>> = {
  kubectl: /\b(?:get|describe|edit)\b.*\bsecrets?\b.*(?:-o|--output|--template|jsonpath)|\bedit\b.*\bsecrets?\b/,
  oc: /\b(?:get|extract)\b.*\bsecrets?\b/,
  aws: /\bconfigure (?:get|export-credentials)\b|\bget-secret-value\b|--with-decryption|\bget-session-token\b|\becr get-login-password\b/,
  vault: /\b(?:kv get|read|print token|token lookup)\b/,
  op: /\b(?:read|item get|document get|run|inject)\b/,
  bw: /\b(?:get|export|list items)\b/,
  doppler: /\bsecrets\b/,
  heroku: /\bconfig(?:$|:get|\s)/,
  gcloud: /\bsecrets versions access\b/,
  az: /\bkeyvault secret show\b|\bkeys list\b/,
  sops: /(?:^|\s)(?:-d|--decrypt|decrypt|exec-env|edit)\b/,
  age: /(?:^|\s)(?:-d|--decrypt)\b/,
  "ansible-vault": /\b(?:view|decrypt|edit)\b/,
  lpass: /\bshow\b/,
  "keepassxc-cli": /\b(?:show|clip|export)\b/,
  terraform: /\b(?:output\b.*-(?:raw|json)|state (?:pull|show))\b/,
  flyctl: /\bauth token\b/,
  npm: /\btoken list\b/,
  chamber: /\b(?:read|export|exec)\b/,
};

/** Programs that keep secrets elsewhere than in files: `pass show`, `gh auth token`. */
function secretFacts({ command, reading }: ShellEffect, cwd: string, home: string): readonly string[] {
  const shown = reading.commands.some(({ words }) => {
    const pattern = SHOWS_SECRETS[programName(words)];
    return pattern?.test(
      words
        .slice(1)
        .map(({ text }) => text)
        .join(" "),
    );
  });
  if (shown) return ["show what a store of secrets holds"];
  return assessCommand(command, { cwd, home }, withoutListings).facts.flatMap(({ kind, text }) =>
    SECRET_FACTS.has(kind) ? [text.replace(/^it (\w+?)s /, "$1 ")] : [],
  );
}

function reachesFolders({ touched }: ShellEffect): boolean {
  return touched.some(({ use, below, beyond }) => use !== undefined || below !== undefined || beyond !== undefined);
}

type RuleList = Parameters<typeof matchesSome>[0];

/** The table as rules about files: they know what a folder holds, and what a path may be of which only the end is known. */
function folderRules(home: string, files: readonly string[]): RuleList {
  const globs = [
    ...[...SECRETS_ANYWHERE, ...files].map((glob) => (glob === ".env.*" ? ".env.[!estd]*" : glob)).map((glob) => `//**/${glob}`),
    ...SECRETS_AT_HOME.map((glob) => `~/${glob}`),
  ];
  return readRules({ deny: globs.map((glob) => `Read(${glob})`) }, { home }).rules.deny;
}

/** Whether text that stands in the command lands in a file. */
function writesText({ touched, reading }: ShellEffect): boolean {
  return (
    touched.some(({ isWrite }) => isWrite) ||
    reading.commands.some(({ redirects }) => redirects.some(({ operator }) => operator.includes(">")))
  );
}

const HIDDEN = "[redacted]";

/** The secrets that stand in a text, by the one detector there is; what only stands for one is none. */
function secretsIn(text: string, redact: (text: string) => string): readonly string[] {
  const shown = redact(text);
  if (shown === text) return [];
  const kept = shown.split(HIDDEN);
  const found: string[] = [];
  let at = kept[0]?.length ?? 0;
  for (const [index, next] of kept.slice(1).entries()) {
    const isLast = index === kept.length - 2;
    const end = isLast ? text.length - next.length : next === "" ? at : text.indexOf(next, at);
    found.push(text.slice(at, end === -1 ? text.length : end));
    at = end + next.length;
  }
  return found.filter((secret) => secret !== "" && !PLACEHOLDER.test(secret));
}

const PLACEHOLDER =
  /^(?:[<[{(%$]|process\.env|os\.(?:environ|getenv)|env[.(]|import\.meta|ENV\[|secrets?\.|vault:)|^(?:x{3,}|\*{3,}|\.{3,}|0+|your|my|some|insert|enter|add|put|change|replace|example|sample|dummy|fake|test|mock|placeholder|secret|password|todo|redacted|none|null|undefined|foo|bar)(?:[-_ .]|here|me|\d|$)|(?:example|placeholder|change-?me|your[-_]|[-_]here$|x{6,}|EXAMPLE(?:KEY)?$)/i;

function described(found: readonly string[]): string {
  return found.length === 1 ? "what looks like a secret" : `${found.length} texts that look like secrets`;
}

interface Cleaned {
  readonly value: unknown;
  readonly count: number;
}

const WITHHELD = '[withheld by secret-guard: it holds what looks like a secret. With "redact": true only the secret is taken out]';

/** Every text of a result, in the shape it has: a result of another shape would be thrown away, and the secret shown. */
function cleaned(given: unknown, redact: (text: string) => string, keepsRest: boolean, depth = 0): Cleaned {
  if (typeof given === "string") {
    const shown = redact(given);
    return shown === given ? { value: given, count: 0 } : { value: keepsRest ? shown : WITHHELD, count: 1 };
  }
  if (typeof given !== "object" || given === null) return { value: given, count: 0 };
  // SECURITY: what is not looked at may hold one.
  if (depth > MAX_DEPTH) return { value: WITHHELD, count: 1 };
  let count = 0;
  const clean = (value: unknown): unknown => {
    const inner = cleaned(value, redact, keepsRest, depth + 1);
    count += inner.count;
    return inner.value;
  };
  if (Array.isArray(given)) {
    const value = given.map(clean);
    return { value, count };
  }
  if (!isObject(given)) return { value: given, count: 0 };
  const value = Object.fromEntries(Object.entries(given).map(([name, inner]) => [clean(name), clean(inner)]));
  return { value, count };
}

const MAX_DEPTH = 64;
