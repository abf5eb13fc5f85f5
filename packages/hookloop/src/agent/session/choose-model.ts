import path from "node:path";
import {
  createAnthropicModel,
  createOfflineModel,
  createScriptedModel,
  isOfflineModel,
  readModelSettings,
  readScript,
} from "../../models/index.ts";
import { insideFolders, type ProjectPlace, projectRoot, readWithin } from "../../permissions/index.ts";
import { type Model, ModelError } from "../../run/index.ts";
import { CannotStart } from "./cannot-start.ts";

export interface ModelChoice extends ProjectPlace {
  readonly env: Readonly<Record<string, string>>;
  /** The project is trusted: only then its `.env` may say who is asked. */
  readonly isTrusted: boolean;
  readonly model?: string | undefined;
  readonly script?: string | undefined;
}

export interface ChosenModel {
  readonly model: Model;
  /** What the project's `.env` says about the model, and whether it counts; for people, before anything else. */
  readonly note?: string | undefined;
}

const DEFAULT_MODEL = "claude-opus-5-5";
const LARGEST_FILE = 256 * 1024;

/** A script, the vendor whose key there is, or the offline model. */
export function chooseModel({ cwd, home, env, isTrusted, model, script }: ModelChoice): ChosenModel {
  if (script !== undefined) return { model: createScriptedModel(scriptOf(path.resolve(cwd, script))) };
  const settings = readModelSettings({ env, dotEnv: readDotEnv(cwd, home), isTrusted });
  const { apiKey, authToken, baseUrl, note } = settings;
  const name = model ?? settings.model;
  if (!apiKey && !authToken) {
    if (name === undefined || isOfflineModel(name)) return { model: createOfflineModel(name), note };
    throw new CannotStart(
      "HL_AGENT_NO_MODEL",
      `There is no key for the model ${name}. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) before you start; without --model and MODEL_ID the offline model answers (offline, offline-brief); --script FILE replays answers.${note === undefined ? "" : ` ${note}`}`,
    );
  }
  if (name !== undefined && isOfflineModel(name)) return { model: createOfflineModel(name), note };
  return { model: createAnthropicModel({ apiKey, authToken, baseUrl, model: name ?? DEFAULT_MODEL }), note };
}

/** What the command line names must be there: anything else is wrong usage. */
function scriptOf(file: string): ReturnType<typeof readScript> {
  try {
    return readScript(file);
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw new CannotStart("HL_CLI_USAGE", `--script: ${thrown.message}`);
  }
}

/** The project's `.env`, if it really is the project's; most projects have none. */
function readDotEnv(cwd: string, home: string): string | undefined {
  const found = readWithin(path.join(cwd, ".env"), { within: insideFolders([cwd, projectRoot(cwd, home)]), limit: LARGEST_FILE });
  return found.kind === "read" ? found.bytes.toString() : undefined;
}
