import { readFileSync } from "node:fs";
import path from "node:path";
import type { Model } from "../../engine/execute/index.ts";
import {
  createAnthropicModel,
  createOfflineModel,
  createScriptedModel,
  OFFLINE_MODEL,
  readModelSettings,
  readScript,
} from "../../models/index.ts";
import { CannotStart } from "./cannot-start.ts";

export interface ModelChoice {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string | undefined;
  readonly script?: string | undefined;
}

export interface ChosenModel {
  readonly model: Model;
  /** What was found and is not used. */
  readonly notes: readonly string[];
}

const DEFAULT_MODEL = "claude-opus-5-5";

/** A script, the vendor whose key there is, or the offline model. */
export function chooseModel({ cwd, env, model, script }: ModelChoice): ChosenModel {
  if (script !== undefined) return { model: createScriptedModel(readScript(path.resolve(cwd, script))), notes: [] };
  const settings = readModelSettings({ env, dotEnv: readIfThere(path.join(cwd, ".env")) });
  const { apiKey, authToken, baseUrl, ignored } = settings;
  const name = model ?? settings.model;
  if (!apiKey && !authToken) {
    if (name === undefined || name === OFFLINE_MODEL) return { model: createOfflineModel(), notes: ignored };
    throw new CannotStart(
      "HL_AGENT_NO_MODEL",
      `There is no key for the model ${name}. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN); without --model and MODEL_ID the offline model answers; --script FILE replays answers.`,
    );
  }
  if (name === OFFLINE_MODEL) return { model: createOfflineModel(), notes: ignored };
  return { model: createAnthropicModel({ apiKey, authToken, baseUrl, model: name ?? DEFAULT_MODEL }), notes: ignored };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Most projects have none.
    return undefined;
  }
}
