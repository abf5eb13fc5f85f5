import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { Permissions } from "../../permissions/permissions.ts";
import { readRules } from "../../permissions/rules/read-rules.ts";
import { createCheckedTargets, createMayRead } from "../toolbox.ts";
import type { ToolContext } from "./types.ts";

/** Folders of one test: a project, a home and something outside both. */
export interface ToolLab {
  readonly base: string;
  readonly project: string;
  context(changes?: Partial<ToolContext>): ToolContext;
  /** Where tools moved the agent to. */
  readonly moves: readonly string[];
}

export function openToolLab({ deny = [], ask = [] }: { deny?: readonly string[]; ask?: readonly string[] } = {}): ToolLab {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-tools-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [project, home] = [path.join(base, "project"), path.join(base, "home")];
  for (const folder of [project, home, path.join(base, "outside")]) mkdirSync(folder);
  const place = { cwd: project, root: project, home };
  const lists = { allow: [], ask: ask.map((text) => ({ text })), deny: deny.map((text) => ({ text })) };
  const { rules } = readRules([{ scope: "user", root: home, isTrusted: true, permissions: lists }], { home });
  const permissions = new Permissions({ rules, root: project, home });
  const moves: string[] = [];
  return {
    base,
    project,
    moves,
    context: (changes = {}) => ({
      ...place,
      directories: [project],
      env: () => ({ PATH: process.env["PATH"] ?? "", HOME: home }),
      signal: new AbortController().signal,
      toolUseId: "t1",
      moveTo: (folder) => moves.push(folder),
      targetOf: createCheckedTargets(place).targetOf,
      mayRead: createMayRead(permissions, place),
      ...changes,
    }),
  };
}
