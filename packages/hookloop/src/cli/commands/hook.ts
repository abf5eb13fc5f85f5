/**
 * `hookloop hook NAME`: a shipped hook as a command of another agent. Takes the event on stdin, answers on stdout as a hook of Claude Code
 * does. A guard that cannot judge denies; wrong usage never exits with 2, which would block, nor may it pass for an allow.
 */

import { deny, type EventName } from "@hookloop/sdk";
import {
  abilitiesOf,
  EVENTS,
  type Fields,
  isEventName,
  isShippedName,
  SHIPPED_HOOKS,
  SHIPPED_NAMES,
  type ShippedName,
} from "../../catalogue/index.ts";
import { isObject, nameCure } from "../../check-options.ts";
import { visible } from "../../diagnostic.ts";

const EXIT_FAILED = 1;
const EXIT_BLOCKED = 2;

interface Given {
  readonly text: string;
  readonly payload: Readonly<Record<string, unknown>> | undefined;
  readonly event: EventName | undefined;
}

/** Gives the exit code. */
export async function runHookCommand([name = "", ...words]: readonly string[]): Promise<number> {
  const isGuard = !isShippedName(name) || SHIPPED_HOOKS[name].role === "guard";
  try {
    const given = await readGiven();
    if (!isShippedName(name)) return await failed(wrongName(name), given, given.text === "" ? EXIT_FAILED : EXIT_BLOCKED);
    const { options, problem } = readOptions(name, words);
    if (!given.event || problem !== undefined)
      return await failed(
        problem ?? noEvent(name, given),
        isGuard ? given : undefined,
        isGuard && !given.event ? EXIT_BLOCKED : EXIT_FAILED,
      );
    return await answer(name, options, given);
  } catch (thrown) {
    process.stderr.write(`hookloop hook ${visible(name)}: ${visible(thrownText(thrown))}\n`);
    return isGuard ? EXIT_BLOCKED : EXIT_FAILED;
  }
}

function thrownText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function wrongName(name: string): string {
  const what = name === "" ? "hookloop hook needs the name of a hook." : `hookloop has no hook "${name.slice(0, 60)}".`;
  return `${what} ${nameCure(name, SHIPPED_NAMES)}`;
}

function noEvent(name: string, { text, payload }: Given): string {
  const event = payload?.["hook_event_name"];
  const found = payload
    ? `its hook_event_name is ${JSON.stringify(event)?.slice(0, 60) ?? "missing"}`
    : text === ""
      ? "stdin is empty"
      : "stdin is no JSON object";
  return `${name} cannot judge: ${found}. It takes the event as the agent writes it, as one JSON object.`;
}

/** Where an event is known, and a no can be said in its own way, it is; else only the exit code tells. */
async function failed(text: string, given: Given | undefined, code: number): Promise<number> {
  process.stderr.write(`${visible(text)}\n`);
  if (!given?.event || !given.payload) return code;
  const { createHooks } = await import("../../open.ts");
  const hooks = createHooks({ cwd: cwdOf(given.payload), onDiagnostic: () => {} });
  const canDeny = abilitiesOf(EVENTS[given.event]).includes("deny");
  // Where nothing can be denied, a guard that throws keeps what it has not judged from the model.
  hooks.on(given.event, { name: "hookloop hook", guard: true }, () => {
    if (canDeny) return deny(text) as never;
    throw new Error(text);
  });
  await writeVerdict(hooks, given.event, given.payload);
  return 0;
}

async function answer(name: ShippedName, options: Readonly<Record<string, unknown>>, given: Given): Promise<number> {
  const { event, payload } = given as Required<Given>;
  if (!event || !payload) return EXIT_FAILED;
  const [{ createHooks }, { useNamed }] = await Promise.all([import("../../open.ts"), import("../../builtin/index.ts")]);
  const { session_id: id } = payload;
  const hooks = createHooks({ cwd: cwdOf(payload), ...(typeof id === "string" && id !== "" && { sessionId: id }) });
  try {
    useNamed(hooks, [{ name, options }]);
  } catch (thrown) {
    return await failed(thrownText(thrown), SHIPPED_HOOKS[name].role === "guard" ? given : undefined, EXIT_FAILED);
  }
  if (!hooks.has(event) && hooks.refused.length === 0) {
    process.stderr.write(`${name} has nothing to do at ${event}: see \`hookloop hook --help\`.\n`);
    return EXIT_FAILED;
  }
  await writeVerdict(hooks, event, payload);
  return 0;
}

async function writeVerdict(
  hooks: ReturnType<typeof import("../../open.ts").createHooks>,
  event: EventName,
  payload: object,
): Promise<void> {
  const { toClaudeOutput } = await import("../../engine/host.ts");
  const output = toClaudeOutput(event, await hooks.fire(event, payload as never));
  await hooks.close();
  if (Object.keys(output).length > 0) process.stdout.write(`${JSON.stringify(output)}\n`);
}

function cwdOf({ cwd }: Readonly<Record<string, unknown>>): string {
  return typeof cwd === "string" && cwd.startsWith("/") ? cwd : process.cwd();
}

/** Longer than any event may be. */
const MOST_BYTES = 64 * 1024 * 1024;
/** An agent that keeps the pipe open must not hang its hook. */
const SILENCE_MS = 5000;

async function readGiven(): Promise<Given> {
  const text = process.stdin.isTTY ? "" : await readInput();
  const payload = parsed(text);
  const event = payload?.["hook_event_name"];
  return { text: text.trim(), payload, event: typeof event === "string" && isEventName(event) ? event : undefined };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not whole, or no JSON: whoever asked says so.
    return undefined;
  }
}

/** Until one whole document, the end, or silence. */
async function readInput(): Promise<string> {
  const { stdin } = process;
  const chunks: Buffer[] = [];
  let size = 0;
  return await new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stdin.removeAllListeners().pause();
      stdin.unref?.();
      resolve(Buffer.concat(chunks).toString());
    };
    const timer = setTimeout(end, SILENCE_MS);
    stdin.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      timer.refresh();
      if (size > MOST_BYTES) reject(new Error("the event is too long"));
      else if (/\}\s*$/.test(chunk.toString()) && parsed(Buffer.concat(chunks).toString())) end();
    });
    stdin.on("end", end).on("error", end);
  });
}

interface ReadOptions {
  readonly options: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

/** `--profile strict`, `--redact`, `--branches main --branches release/*`. What is wrong with a value is said where it is used. */
function readOptions(name: ShippedName, words: readonly string[]): ReadOptions {
  const fields: Fields = SHIPPED_HOOKS[name].options;
  const options: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at++) {
    const [, option = "", attached] = /^--([\w-]+)(?:=(.*))?$/s.exec(words[at] ?? "") ?? [];
    const kind = Object.hasOwn(fields, option) ? fields[option]?.type.kind : undefined;
    if (!kind) {
      const problem = `${name} has no option "${words[at]?.slice(0, 60)}". ${nameCure(option, Object.keys(fields))}`;
      return { options, problem };
    }
    const isNext = attached === undefined && takesNext(kind, words[at + 1]);
    const text = isNext ? words[++at] : attached;
    if (text === undefined && kind !== "boolean") return { options, problem: `--${option} of ${name} needs a value.` };
    options[option] = kind === "list" ? [...listed(options[option]), text] : optionValue(kind, text);
  }
  return { options };
}

function takesNext(kind: string, next: string | undefined): boolean {
  return next !== undefined && (kind !== "boolean" || /^(?:true|false)$/.test(next));
}

function optionValue(kind: string, text: string | undefined): unknown {
  if (kind === "boolean") return text === undefined || text === "true" || (text !== "false" && text);
  return kind === "number" ? Number(text) : text;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
