import { thrownText } from "../run/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { EventInput, Session } from "./session.ts";

export interface SettingRun {
  /** What it printed. */
  readonly stdout: string;
  /** Why it gave nothing, for people. */
  readonly problem?: string | undefined;
}

export interface SettingRunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a command of the settings that passed the gate: checked again before it starts, scrubbed and limited like a hook. It never throws. */
export async function runSetting(
  session: Session,
  hook: AdmittedHook,
  input: EventInput,
  { timeoutMs, signal }: SettingRunOptions,
): Promise<SettingRun> {
  const { runners, commonInput, projectRoot, id, closing } = session;
  const whole = { ...commonInput, ...input };
  const cwd = typeof whole["cwd"] === "string" ? whole["cwd"] : projectRoot;
  try {
    const outcome = await runners.command?.(
      { hook },
      {
        payload: () => Buffer.from(JSON.stringify(whole)),
        input: whole,
        cwd,
        projectRoot,
        sessionId: id,
        env: {},
        timeoutMs,
        signal: signal ? AbortSignal.any([signal, closing]) : closing,
      },
    );
    if (!outcome) return { stdout: "", problem: "commands cannot be run here" };
    const { failure, exitCode, stdout } = outcome;
    if (failure) return { stdout: "", problem: failure.text };
    return exitCode === 0 ? { stdout } : { stdout: "", problem: `it exited with ${exitCode}` };
  } catch (thrown) {
    return { stdout: "", problem: thrownText(thrown) };
  }
}
