import type { EventName, HookDefinition, HookHandler, HookOptions } from "@hookloop/sdk";
import type { Diagnostic } from "../diagnostic.ts";
import { fire } from "./fire.ts";
import type { Verdict } from "./merge/index.ts";
import { registerFunction } from "./register-function.ts";
import type { RegisteredHook } from "./registry/index.ts";
import { runTool, type ToolCall, type ToolOptions, type ToolResult } from "./run-tool.ts";
import { createPlanner } from "./select/index.ts";
import type { EventInput, FireOptions, Session, Step } from "./session.ts";
import { streamSteps } from "./stream-steps.ts";
import type { Admission, RefusedHook } from "./trust/index.ts";

/** Options of a hook registered by the program. */
export interface FunctionOptions<Tool extends string = string>
  extends Pick<HookOptions<Tool>, "tool" | "match" | "guard" | "timeoutMs" | "name"> {
  /** Higher runs first and is shown first; 0 if left out. */
  readonly priority?: number;
}

export interface EngineParts {
  readonly session: Session;
  readonly admission: Admission;
  readonly diagnostics: readonly Diagnostic[];
  /** Admits what the program registers; switches reach it like any other hook. */
  readonly readmit: (hooks: readonly RegisteredHook[]) => Admission;
  readonly plannerOptions: Parameters<typeof createPlanner>[1];
  readonly shellEnv: () => Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** The hooks of one session. Open one with `openHooks`; several may live side by side. */
export class HookEngine {
  readonly #parts: EngineParts;
  #functions: readonly RegisteredHook[] = [];
  #cleanups: (() => unknown)[] = [];
  #nextOrder = 0;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Whether any hook could run for the event: ask before building an input nobody wants. */
  has(event: EventName): boolean {
    return this.#parts.session.planner.has(event);
  }

  /** Registers a function; the function it returns takes it away again. */
  on<Event extends EventName, const Tool extends string = string>(
    event: Event,
    options: FunctionOptions<Tool>,
    handler: HookHandler<Event, Tool>,
  ): () => void {
    const hook = registerFunction({ event, options, handler: handler as HookDefinition["handler"], order: this.#nextOrder++ });
    this.#functions = [...this.#functions, hook];
    this.#replan();
    return () => {
      this.#functions = this.#functions.filter((one) => one !== hook);
      this.#replan();
    };
  }

  /** What the loop must do now. A plain value when everything was synchronous; `await` works on both. */
  fire(event: EventName, input: EventInput, options?: FireOptions): Verdict | Promise<Verdict> {
    return options ? fire(this.#parts.session, event, input, options) : fire(this.#parts.session, event, input);
  }

  /** The same, step by step; the last step is the verdict. */
  stream(event: EventName, input: EventInput, options: Omit<FireOptions, "onStep"> = {}): AsyncGenerator<Step, Verdict> {
    return streamSteps((onStep) => fire(this.#parts.session, event, input, { ...options, onStep }));
  }

  /** One tool call with everything around it: PreToolUse, permission, the tool, PostToolUse or PostToolUseFailure. */
  runTool<Output>(
    call: ToolCall,
    execute: (input: EventInput) => Output | Promise<Output>,
    options: ToolOptions = {},
  ): Promise<ToolResult<Output>> {
    return runTool(this, call, execute, options);
  }

  /** Everything that was wrong with the configuration. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#parts.diagnostics;
  }

  /** Every hook that will not run, and why. */
  get refused(): readonly RefusedHook[] {
    return this.#parts.admission.refused;
  }

  /** Variables that hooks have set for later shell commands. */
  shellEnv(): Readonly<Record<string, string>> {
    return this.#parts.shellEnv();
  }

  /** Runs when the engine closes, last registered first. */
  onClose(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup);
  }

  /** Ends what is running, runs the cleanups in reverse, flushes. One that fails does not stop the others. */
  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      try {
        await cleanup();
      } catch (thrown) {
        const text = `A cleanup failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
        this.#parts.session.report({ code: "HL_LOOP_CLEANUP_FAILED", level: "error", text });
      }
    }
    await this.#parts.close();
  }

  #replan(): void {
    const { session, admission, readmit, plannerOptions } = this.#parts;
    const { admitted } = readmit(this.#functions);
    session.planner = createPlanner([...admission.admitted, ...admitted], plannerOptions);
  }
}
