import { BELOW_USER, type HttpPolicy } from "../config/index.ts";
import type { Runner } from "../run/index.ts";
import { VERSION } from "../state-files.ts";
import type { Trust } from "../trust/index.ts";

export interface HttpRunnerParts {
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: HttpPolicy;
  /** `settings` of user and managed files. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly trust: Trust;
  readonly closing: AbortSignal;
}

/** The runner for http hooks of one engine. Node's http modules cost some milliseconds, so they are loaded by the first hook that needs them. */
export function openHttpRunner(parts: HttpRunnerParts): Runner {
  let loading: Promise<Runner> | undefined;
  return async (selected, input) => {
    loading ??= load(parts);
    return (await loading)(selected, input);
  };
}

async function load({ environment, policy, settings, trust, closing }: HttpRunnerParts): Promise<Runner> {
  const { createHttpRunner } = await import("../run/http/http-runner.ts");
  // SECURITY: a checkout cannot let itself reach this machine; the user, managed policy or a program that trusts all of it can.
  const isOpen = settings["allowLoopback"] === true || trust === "implicit";
  // Trusting the workspace is trusting what its own files say; a plugin may come from elsewhere.
  const isVouched = typeof trust === "object" && trust.workspace === true;
  return createHttpRunner({
    environment,
    version: VERSION,
    policy,
    allowLoopback: ({ source: { scope } }) => isOpen || !BELOW_USER.includes(scope) || (isVouched && scope !== "plugin"),
    closing,
  });
}
