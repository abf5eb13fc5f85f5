/** A project in an engine with shipped hooks; calls have ended as the agent would end them. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterThisTest } from "../../../../test/cleanup.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { HookEngine } from "../engine/index.ts";
import { type OpenOptions, openHooks } from "../index.ts";
import { modelTexts, type Verdict } from "../judge/index.ts";

export interface FlowLab {
  readonly project: string;
  readonly hooks: HookEngine;
  readonly diagnostics: readonly Diagnostic[];
  write(name: string, text: string): string;
  read(name: string): string | undefined;
  /** The call has succeeded: what hooks tell the model, and the user. */
  after(tool: string, input: object, more?: object): Promise<{ readonly model: string; readonly user: string }>;
  stop(): Promise<Verdict>;
}

export async function openFlowLab(
  use: OpenOptions["use"],
  files: Readonly<Record<string, string>> = {},
  options: Partial<OpenOptions> = {},
): Promise<FlowLab> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-flow-")));
  afterThisTest(() => rmSync(base, { recursive: true, force: true }));
  const project = path.join(base, "project");
  for (const folder of ["project", "home"]) mkdirSync(path.join(base, folder));
  const write = (name: string, text: string): string => {
    const file = path.join(project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith("#!")) chmodSync(file, 0o755);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const diagnostics: Diagnostic[] = [];
  const { ports, ...others } = options;
  const hooks = await openHooks({
    cwd: project,
    trust: "implicit",
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...(use !== undefined && { use }),
    ...others,
    ports: { home: path.join(base, "home"), env: { PATH: "/usr/bin:/bin", HOME: path.join(base, "home") }, ...ports },
  });
  afterThisTest(() => hooks.close());
  return {
    project,
    hooks,
    diagnostics,
    write,
    read: (name) => (existsSync(path.join(project, name)) ? readFileSync(path.join(project, name), "utf8") : undefined),
    async after(tool_name, tool_input, more = {}) {
      const input = { tool_name, tool_input, tool_use_id: "t1", tool_response: "", ...more };
      const verdict = await hooks.fire("PostToolUse", input);
      const told = verdict.outcomes.flatMap(({ effects }) => effects.flatMap((one) => (one.type === "tell" ? one.text : [])));
      return { model: modelTexts({ verdict, input }).join("\n"), user: told.join("\n") };
    },
    stop: async () => await hooks.fire("Stop", { stop_hook_active: false, last_assistant_message: "done" }),
  };
}

/** Why the agent must continue. */
export function continueTexts({ continueWith }: Verdict): readonly string[] {
  return continueWith.map(({ text }) => text);
}
