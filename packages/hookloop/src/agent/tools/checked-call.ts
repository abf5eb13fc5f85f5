/** What was true of a call when rules judged it, for the tool that runs later: a person may have taken minutes to say yes. */
import { TOOLS } from "../../catalogue/index.ts";
import { callFacts, matchesSome, type PermissionCall, type Permissions, type RealTarget, realTarget } from "../../permissions/index.ts";
import { toolPath } from "./tool-path.ts";
import type { ToolContext } from "./types.ts";

type Place = Pick<ToolContext, "cwd" | "root" | "home">;

export interface CheckedTargets {
  /** The call is being judged now. */
  remember(call: PermissionCall): void;
  readonly targetOf: ToolContext["targetOf"];
}

export function createCheckedTargets({ cwd, home }: Place): CheckedTargets {
  const targets = new Map<string, RealTarget>();
  const look = (path: string): RealTarget => realTarget(path, { cwd });
  return {
    remember({ tool_name, tool_input }) {
      const { kind, rule } = (Object.hasOwn(TOOLS, tool_name) && TOOLS[tool_name as keyof typeof TOOLS]) || {};
      const given = rule && tool_input[rule.field];
      if (kind !== "file.write" || typeof given !== "string") return;
      const path = toolPath(given, { cwd, home });
      targets.set(path, look(path));
    },
    targetOf: (path) => targets.get(path) ?? look(path),
  };
}

const MOST_REMEMBERED = 2000;

/** SECURITY: Read rules are about files, and a search must not be a way around them. */
export function createMayRead(permissions: Permissions | undefined, { cwd, root, home }: Place): ToolContext["mayRead"] {
  let shared = callFacts({ tool: "Read", input: {}, cwd, root, home });
  let count = 0;
  return (file) => {
    const { deny = [], ask = [] } = permissions?.rules ?? {};
    if (deny.length + ask.length === 0) return true;
    // A search asks about thousands of files: where the folders of rules really are is looked up once, and forgotten before it fills memory.
    if (++count % MOST_REMEMBERED === 0) shared = callFacts({ tool: "Read", input: {}, cwd, root, home });
    const facts = { ...shared, input: { file_path: file }, work: { left: shared.work.left } };
    return !matchesSome(deny, facts) && !matchesSome(ask, facts);
  };
}
