import { statSync } from "node:fs";
import type { Command } from "commander";
import { diagnosticLine, didYouMean, ownCommand, visibleLine, withOwnCommand } from "../../diagnostic.ts";
import { inLocale, print, printData, UsageError, width, wrap } from "../terminal.ts";
import type { ListedHook, TrustDesk } from "../trust-desk.ts";

interface TrustOptions {
  readonly json?: boolean;
  readonly pluginDir?: readonly string[];
  readonly extension?: readonly string[];
  readonly digest?: string;
}

/** What every command of trust takes. */
function withCommon(command: Command, json = "print JSON"): Command {
  const gather = (folder: string, before: readonly string[] = []): readonly string[] => [...before, folder];
  const about = "a folder that the agent is started with as a plugin (may be repeated)";
  return command
    .option("--json", json)
    .option("--plugin-dir <folder>", about, gather)
    .option("--extension <file>", "a module that the agent is started with (may be repeated)", gather);
}

const ID_HELP = "id of a hook, its beginning, or its name";

const HELP = `
Examples:
  hookloop trust
  hookloop trust review
  hookloop trust approve project:PreToolUse:0123456789
  hookloop trust export

Nothing of the project is run by any of these. An agent's tools and hooks cannot
approve, revoke or review. Exit codes: 0 done, 1 a hook was not approved,
2 wrong usage.`;

/** `hookloop trust` and what belongs to it. None of it runs anything of the project. */
export function addTrustCommand(program: Command, setExitCode: (code: number) => void): void {
  const trust = program.command("trust").description("list the hooks of this folder and whether they are trusted");
  withCommon(trust)
    .usage("[options] [command]")
    .argument("[what...]")
    .addHelpText("after", HELP)
    .action(async ([unknown]: readonly string[], options: TrustOptions) => {
      if (unknown !== undefined) throw unknownCommand(unknown);
      await list(await openDesk(options), options);
    });
  /** `hookloop trust --json approve` means the same as `trust approve --json`. */
  const merged = (own: TrustOptions): TrustOptions => {
    const above: TrustOptions = trust.opts();
    const both = (name: "pluginDir" | "extension"): readonly string[] => [...(above[name] ?? []), ...(own[name] ?? [])];
    return { ...above, ...own, pluginDir: both("pluginDir"), extension: both("extension") };
  };
  const review = trust.command("review").description("look at what is not approved, with its diff, and approve or refuse each");
  withCommon(review, "print what is not approved as JSON and ask nothing").action(async (own: TrustOptions) => {
    const { reviewAtTerminal } = await import("../trust-desk.ts");
    const { json = false, ...options } = merged(own);
    await reviewAtTerminal(await (json ? openDesk(options) : openForChange(options)), json);
  });
  withCommon(trust.command("approve").description("approve hooks as they are now").argument("<ids...>", ID_HELP))
    .option("--digest <digest>", "approve only if the hook still has this digest")
    .action(async (ids: readonly string[], own: TrustOptions) =>
      setExitCode(await approveAll(await openForChange(merged(own)), ids, merged(own))),
    );
  withCommon(trust.command("revoke").description("take an approval back").argument("<id>", ID_HELP)).action(
    async (id: string, own: TrustOptions) => revoke(await openForChange(merged(own)), id, merged(own)),
  );
  withCommon(trust.command("export").description("print the digests of what is trusted, for the command line of a CI run")).action(
    async (own: TrustOptions) => exportDigests(await openDesk(merged(own)), merged(own)),
  );
}

const COMMANDS = ["review", "approve", "revoke", "export"];

function unknownCommand(given: string): UsageError {
  const hint = didYouMean(given, COMMANDS);
  return new UsageError("HL_CLI_USAGE", `"${given}" is not a command of trust.${hint} There are: ${COMMANDS.join(", ")}.`);
}

async function openDesk({ pluginDir: plugins = [], extension: extensions = [] }: TrustOptions): Promise<TrustDesk> {
  const { openTrustDesk } = await import("../trust-desk.ts");
  const missing = plugins.find((folder) => !statSync(folder, { throwIfNoEntry: false })?.isDirectory());
  if (missing !== undefined) throw new UsageError("HL_CLI_USAGE", `There is no folder ${missing}.`);
  const absent = extensions.find((file) => !statSync(file, { throwIfNoEntry: false })?.isFile());
  if (absent !== undefined) throw new UsageError("HL_CLI_USAGE", `There is no file ${absent}.`);
  const desk = await openTrustDesk(process.cwd(), { plugins, extensions });
  const columns = process.stderr.isTTY ? width() : Number.POSITIVE_INFINITY;
  for (const diagnostic of desk.diagnostics)
    process.stderr.write(`${inLocale(wrap(visibleLine(diagnosticLine(diagnostic)), columns, "  "))}\n`);
  return desk;
}

/** Beside what the command prints. */
function warn(text: string): void {
  process.stderr.write(`${inLocale(withOwnCommand(visibleLine(text)))}\n`);
}

/** SECURITY: before anything is shown or asked. The store refuses as well; this says it in time. */
async function openForChange(options: TrustOptions): Promise<TrustDesk> {
  const desk = await openDesk(options);
  const { OF_AGENT } = await import("../../trust/index.ts");
  if (desk.store.isClosed) throw new UsageError("HL_TRUST_OF_AGENT", OF_AGENT);
  return desk;
}

async function noHooks(): Promise<string> {
  const [{ lookedFor }, { createDialects }] = await Promise.all([import("../../config/index.ts"), import("../../dialects/index.ts")]);
  return `No hooks are configured here. They are read from ${lookedFor(createDialects())}.`;
}

const MOST_REASONS = 5;

async function list({ hooks, diagnostics }: TrustDesk, { json }: TrustOptions): Promise<void> {
  const { hooksJson, trustTable } = await import("../trust-desk.ts");
  if (json) return printData(hooksJson(hooks));
  const isBelow = diagnostics.some(({ code }) => code === "HL_CONFIG_ABOVE");
  if (hooks.length === 0)
    return print(isBelow ? "No hooks count in this folder; there are some above it." : wrap(await noHooks(), width()));
  print(trustTable(hooks, width()));
  const { isPending } = await import("../../trust/index.ts");
  const idle = hooks.filter(({ runs, state }) => !runs && state !== "above");
  const shut = hooks.filter((one) => one.blocks && isPending(one)).length;
  const cure = idle.some(isPending) ? ` \`${ownCommand()} trust review\` shows what is not approved and why.` : "";
  if (idle.length > 0) print(`\n${wrap(`${idle.length} of ${hooks.length} will not run.${cure}`, width())}`);
  // Not changed by a review: each reason says what would change it.
  const settled = new Set(idle.filter((one) => !isPending(one)).flatMap(({ reason }) => reason ?? []));
  for (const reason of [...settled].slice(0, MOST_REASONS)) print(wrap(withOwnCommand(visibleLine(reason)), width()));
  const never = hooks.filter(({ runs, hook }) => runs && hook.never !== undefined);
  for (const { hook } of never.slice(0, MOST_REASONS)) print(wrap(visibleLine(`"${hook.name}": ${hook.never}`), width()));
  const text = shut === 1 ? "1 blocks what it matches" : `${shut} block what they match`;
  if (shut > 0) print(wrap(`${text} until you have reviewed ${shut === 1 ? "it" : "them"}.`, width()));
}

function findHook(hooks: readonly ListedHook[], wanted: string): ListedHook {
  const exact = hooks.filter(({ hook }) => hook.id === wanted);
  const found = exact.length > 0 ? exact : hooks.filter(({ hook }) => hook.id.startsWith(wanted) || isCalled(hook, wanted));
  if (found.length === 1 && found[0]) return found[0];
  const names = hooks.flatMap(({ hook }) => [hook.id, hook.name, String(hook.fields?.["command"] ?? hook.name)]);
  const many = `${found.length} hooks fit "${wanted}": ${found.map(({ hook }) => hook.id).join(", ")}.`;
  const none = `There is no hook "${wanted}".${didYouMean(wanted, names)} \`hookloop trust\` lists all.`;
  throw new UsageError("HL_CLI_UNKNOWN_HOOK", found.length > 1 ? many : none);
}

/** By its name, or by the whole line that it runs. */
function isCalled({ name, fields }: ListedHook["hook"], wanted: string): boolean {
  return name === wanted || fields?.["command"] === wanted;
}

/** All are found before the first is approved: a typo in one name approves nothing. */
async function approveAll(desk: TrustDesk, ids: readonly string[], options: TrustOptions): Promise<number> {
  if (ids.length > 1 && options.digest !== undefined)
    throw new UsageError("HL_CLI_USAGE", "--digest is of one hook. Approve them one by one, each with its digest.");
  const found = ids.map((id) => findHook(desk.hooks, id));
  const exits: number[] = [];
  for (const listed of found) exits.push(await approve(desk, listed, options));
  return Math.max(...exits);
}

async function approve(desk: TrustDesk, listed: ListedHook, { digest, json }: TrustOptions): Promise<number> {
  const { hookJson } = await import("../trust-desk.ts");
  const refusal = obstacle(listed, digest);
  if (refusal !== undefined) {
    if (json) printData(hookJson(listed, { approved: false, reason: refusal }));
    warn(refusal);
    return 1;
  }
  await written(desk.decide(listed, "approved", "command"));
  const after = desk.look(listed.hook);
  if (json) printData(hookJson(after, { approved: true }));
  else print(`Approved: ${after.hook.id} ${visibleLine(after.hook.name)}\n${after.digest}`);
  // Approved and still off: reported now, not at the next start.
  if (!after.runs && after.reason !== undefined) warn(after.reason);
  for (const text of after.pins?.unresolved ?? []) warn(`Not pinned: ${text}`);
  return 0;
}

function obstacle({ hook, state, digest, pins, isAbsent }: ListedHook, wanted: string | undefined): string | undefined {
  if (state === "above")
    return `"${hook.name}" is approved for ${hook.source.root}, and is not read here. Start there: cd ${hook.source.root}`;
  if (isAbsent)
    return `"${hook.name}" cannot be approved: it is not in the configuration, or cannot be read there. To do without it: hookloop trust revoke ${hook.id}`;
  if (hook.unreadable !== undefined) return `"${hook.name}" cannot be approved: its entry cannot be read. ${hook.unreadable}`;
  if (state === "managed") return `"${hook.name}" is policy of this machine and runs without approval.`;
  if (pins?.untrustable !== undefined) return `HL_TRUST_REFUSED: "${hook.name}" cannot be trusted: ${pins.untrustable}.`;
  if (wanted === undefined || wanted === digest) return undefined;
  return `HL_TRUST_APPROVAL_STALE: "${hook.name}" is not what you mean: its digest is ${digest} now, not ${wanted}. Look at it: hookloop trust review`;
}

async function revoke(desk: TrustDesk, id: string, { json }: TrustOptions): Promise<void> {
  const listed = findHook(desk.hooks, id);
  const { hookJson } = await import("../trust-desk.ts");
  // A user hook without a record would be approved at first sight: revoking must refuse it.
  if (listed.hook.source.scope === "user" && !listed.isAbsent) await written(desk.decide(listed, "refused", "command"));
  else
    await written(
      desk.store.update((records) => {
        for (const digest of [listed.digest, listed.before?.digest]) if (digest !== undefined) records.delete(digest);
      }),
    );
  const after = desk.look(listed.hook);
  if (json) printData(hookJson(after));
  else print(`${after.hook.id} ${visibleLine(after.hook.name)} is ${listed.isAbsent ? "forgotten" : revokedText(after)}.`);
}

function revokedText({ hook, state }: ListedHook): string {
  return `${state} and does not ${hook.setting === "disableAllHooks" ? "count" : "run"}`;
}

/** A store that cannot be written is reported in one line, without a stack. */
async function written(writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (thrown) {
    throw new UsageError("HL_TRUST_STORE_WRITE", thrown instanceof Error ? thrown.message : String(thrown));
  }
}

async function exportDigests({ hooks }: TrustDesk, { json }: TrustOptions): Promise<void> {
  const approved = hooks.filter(
    ({ runs, state, digest }) => runs && digest !== undefined && (state === "trusted" || state === "definition-only"),
  );
  if (json) printData(JSON.stringify(Object.fromEntries(approved.map(({ hook, digest }) => [hook.id, digest])), null, 2));
  else for (const { hook, digest } of approved) print(`--trust-hook ${hook.id}=${digest}`);
  const others = hooks.filter((one) => one.digest !== undefined && !approved.includes(one)).length;
  if (others > 0) warn(`Not approved, so not exported: ${others}. Look: hookloop trust review`);
}
