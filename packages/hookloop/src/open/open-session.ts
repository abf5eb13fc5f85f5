import { randomUUID } from "node:crypto";
import type { EventName } from "@hookloop/sdk";
import type { Diagnostic } from "../diagnostic.ts";
import { createClaudeDialect, createHooksJsonDialect, createNativeDialect } from "../dialects/index.ts";
import type { EventInput, Session } from "../engine/index.ts";
import {
  createBackground,
  createPayloadCopier,
  createRecheck,
  createReconsider,
  createRecorder,
  endBackground,
  eventBudget,
  type PayloadCopier,
} from "../engine/index.ts";
import {
  boundRunner,
  createBroker,
  createCommandRunner,
  createFunctionRunner,
  createLeftovers,
  frozenCopy,
  type Runner,
  readAncestry,
  thrownText,
} from "../run/index.ts";
import { createPlanner } from "../select/index.ts";
import { VERSION } from "../state-files.ts";
import { createDebugPrinter, createRedactor, wantsDebug } from "../trace/index.ts";
import type { TrustGate } from "../trust/index.ts";
import { runFolder } from "./machine.ts";
import { openJudges } from "./open-judges.ts";
import { stateFolder } from "./open-trust.ts";
import { openWarm } from "./open-warm.ts";
import type { OpenOptions, Ports } from "./options.ts";
import { openSessionFiles } from "./session-files.ts";

/** What a session is made of. */
export interface SessionParts {
  readonly options: OpenOptions;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly http: (closing: AbortSignal) => Runner;
  readonly gate: TrustGate;
  /** `settings.budgets` as the files say it. */
  readonly budgets: unknown;
}

/** Everything of one session that touches the world, and how it ends. */
export function openSession({ options, cwd, home, env, report, http, gate, budgets }: SessionParts): {
  session: Session;
  close: () => Promise<void>;
  shellEnv: () => Readonly<Record<string, string>>;
} {
  const id = options.sessionId ?? randomUUID();
  const runs = runFolder({ home, env });
  const files = openSessionFiles({
    env,
    runFolder: runs,
    onProblem: (text) => report({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text }),
    onEnvProblem: (text) => report({ code: "HL_EXECUTE_ENV_FILE", level: "warning", text }),
  });
  const redactor = createRedactor(env);
  const sink = options.ports?.trace ?? (wantsDebug(env) ? createDebugPrinter({ redactor }) : undefined);
  const claude = createClaudeDialect({ projectRoot: cwd, pluginOptions: options.pluginOptions });
  const running = new AbortController();
  const background = createBackground({
    ...options,
    onProblem: (thrown) => report({ code: "HL_EXECUTE_THREW", level: "error", text: `onWake threw: ${thrownText(thrown)}` }),
  });
  const leftovers = createLeftovers({ onDiagnostic: report });
  const broker = createBroker({ onProblem: (text) => report({ code: "HL_EXECUTE_BROKER", level: "warning", text }) });
  const program = { environment: env, version: VERSION, isStrict: options.strict, ancestry: readAncestry(env, runs) };
  const warm = openWarm({ ...program, stateFolder: stateFolder({ home, env }), run: broker.run, runFile: files.runFile });
  const commonInput = { session_id: id, transcript_path: "", cwd, ...options.commonInput };
  const session: Session = {
    id,
    projectRoot: cwd,
    commonInput,
    payloadCopier: (event, onNewFields) => (options.isolate ? frozenCopier : createPayloadCopier)(commonInput, event, onNewFields),
    planner: createPlanner([]),
    dialects: {
      claude,
      native: createNativeDialect({ projectRoot: cwd }),
      "hooks-json": createHooksJsonDialect({ writeTempFile: files.writeTemporary }),
    },
    runners: {
      command: createCommandRunner({
        ...program,
        runFile: files.runFile,
        leftovers,
        run: warm.run,
        beforeRun: (hook, cwd) => session.recheck(hook, cwd),
      }),
      function: createFunctionRunner({ isolate: options.isolate }),
      http: http(running.signal),
      module: warm.module,
      ...openJudges(options.ports),
      ...boundRunners(options.ports?.runners),
    },
    background,
    closing: running.signal,
    run: { signal: running.signal },
    spent: new Set(),
    told: new Set(),
    spill: files.spill((text) => redactor.text(text)),
    envFile: files.envFile,
    recheck: createRecheck({ gate, report, record: () => session.record }),
    reconsider: createReconsider({ gate, record: () => session.record }),
    report,
    budgetOf: (event) => eventBudget(budgets, event),
    record: sink && createRecorder({ sink, session: id, onProblem: (thrown) => report(lostTrace(thrown)) }),
  };
  const close = async (): Promise<void> => {
    await endBackground(background, { stop: () => running.abort(), drainMs: options.drainMs, report });
    await leftovers.end();
    await warm.close();
    await broker.close();
    files.dispose();
  };
  return { session, close, shellEnv: files.shellEnv };
}

function lostTrace(thrown: unknown): Diagnostic {
  const text = `write() of the trace threw, so records are lost: ${thrownText(thrown)}`;
  return { code: "HL_TRACE_WRITE_FAILED", level: "warning", text };
}

/** What the embedding program brings along is held to a hook's limits like everything else. */
function boundRunners(runners: NonNullable<Ports["runners"]> = {}): Ports["runners"] {
  return Object.fromEntries(Object.entries(runners).flatMap(([kind, runner]) => (runner ? [[kind, boundRunner(runner)]] : [])));
}

function frozenCopier(common: EventInput, event: EventName, onNewFields: (input: EventInput) => void): PayloadCopier {
  return (input) => {
    onNewFields(input);
    return frozenCopy({ ...common, ...input, hook_event_name: event }) as Record<string, unknown>;
  };
}
