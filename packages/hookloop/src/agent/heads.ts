/**
 * Attaches the hooks in the heads of skills, commands and agents to a session, through its trust gate, and remembers in the transcript
 * which are in force. Refuses, where every gate is required to run, a head with one that may not.
 */

import { EVENTS } from "../catalogue/index.ts";
import type { HookEngine } from "../engine/index.ts";
import { allDefinitions, type Definition, type LiveDefinitions, namesakes } from "./definitions.ts";
import { ToolFailure } from "./tools/types.ts";

/** A head whose hooks were in force when a session ended. */
export interface AttachedHead {
  readonly name: string;
  readonly file: string;
}

interface HeadOptions {
  readonly hooks: HookEngine;
  readonly definitions: LiveDefinitions;
  /** `--require-hooks`. */
  readonly isRequired: boolean;
  readonly onProblem: (text: string) => void;
  readonly onAttached: (head: AttachedHead) => void;
}

export interface Heads {
  /** The hooks of a skill or command, once, until the session ends. */
  attach(definition: Definition): Promise<void>;
  /** The hooks of an agent, until the function it gives is called. Without an id it is the session's own agent. */
  attachAgent(definition: Definition | undefined, agentId?: string): Promise<() => void>;
  /** Attaches again what was in force when the session ended. Gives the heads that are gone; those of their gates that were approved block. */
  restore(earlier: readonly AttachedHead[]): Promise<readonly AttachedHead[]>;
}

export function openHeads({ hooks, definitions, isRequired, onProblem, onAttached }: HeadOptions): Heads {
  const attached = new Set<string>();
  const attachOne = async (definition: Definition, agentId?: string): Promise<() => void> => {
    const { kind, scope, name, file, head: text } = definition;
    if (kind === "agents" && scope === "plugin") {
      if (definition.fields["hooks"])
        onProblem(
          `The hooks in ${file} are not used: an agent of a plugin may not declare hooks. Move them to the plugin's hooks/hooks.json.`,
        );
      return () => {};
    }
    const whose = kind === "agents" ? { ...(agentId !== undefined && { agentId }) } : { skill: name };
    // SECURITY: also a head without hooks: a gate that was approved in it must not vanish with its entry.
    const detach = await hooks.attach({ text, file, isEdited: definitions.isEdited(file), ...whose });
    const lacking = isRequired && hooks.refused.find(({ hook }) => hook.source.file === file && EVENTS[hook.event].role === "gate");
    if (!lacking) return detach;
    detach();
    throw new ToolFailure(
      `"${name}" (${file}) is not used, since --require-hooks is set and a hook in its head may not run: ${lacking.text}`,
    );
  };
  const attach = async (definition: Definition): Promise<void> => {
    for (const one of [definition, ...namesakes(definition, definitions.current())]) {
      const { name, file } = one;
      if (attached.has(file)) continue;
      await attachOne(one);
      attached.add(file);
      if ([...hooks.admitted, ...hooks.refused.map(({ hook }) => hook)].some(({ source }) => source.file === file))
        onAttached({ name, file });
    }
  };
  return {
    attach,
    async attachAgent(definition, agentId) {
      const detached: (() => void)[] = [];
      const detach = (): void => {
        for (const one of detached) one();
      };
      try {
        for (const one of definition ? [definition, ...namesakes(definition, definitions.current())] : [])
          detached.push(await attachOne(one, agentId));
      } catch (thrown) {
        detach();
        throw thrown;
      }
      return detach;
    },
    async restore(earlier) {
      const gone: AttachedHead[] = [];
      for (const head of earlier) {
        const definition = allDefinitions(definitions.current()).find(({ file }) => file === head.file);
        if (definition) await attach(definition);
        else if (!attached.has(head.file)) {
          attached.add(head.file);
          await hooks.attach({ text: "", file: head.file, skill: head.name });
          gone.push(head);
        }
      }
      return gone;
    },
  };
}
