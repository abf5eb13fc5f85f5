/** Files that hooks want to hear of: those that matchers of FileChanged name, and the `watchPaths` that hooks answered last. */
import path from "node:path";
import type { Verdict } from "../../../judge/index.ts";
import type { AgentCore, Feature } from "../types.ts";
import { fileState } from "./file-state.ts";
import { watchFiles } from "./watch-files.ts";

/** Looking at each takes time before each request. */
const MOST_FILES = 1000;

export interface FileWatchOptions {
  readonly quietMs?: number | undefined;
}

export function openFileWatch(core: AgentCore, { quietMs }: FileWatchOptions = {}): Feature {
  let dynamic: readonly string[] = [];
  const onProblem = (text: string): void => core.report({ code: "HL_AGENT_WATCH", level: "warning", text });
  const watch = watchFiles({
    look: fileState,
    quietMs,
    onProblem,
    onEvent: async ({ file, event }) => {
      await core.fire("FileChanged", { file_path: file, event });
    },
  });
  const told = new Set<string>();
  const follow = (): void => {
    const files = [...new Set([...namedFiles(core), ...dynamic])].slice(0, MOST_FILES);
    if (files.length === 0) reportIdle(core, told);
    watch.follow(files);
  };
  return {
    async started() {
      follow();
    },
    heard({ fields }: Verdict) {
      const paths = fields["watchPaths"];
      if (!Array.isArray(paths)) return;
      dynamic = absolutePaths(paths, onProblem);
      follow();
    },
    async beforeRequest() {
      // Hooks come and go, and matchers with them.
      follow();
      await watch.settle();
    },
    close: () => watch.close(),
  };
}

/** A matcher is also a list of names, relative to the project. */
function namedFiles({ hooks, root }: AgentCore): readonly string[] {
  const names = hooks.matchers("FileChanged").flatMap((matcher) => matcher.split("|"));
  return names
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "*")
    .map((name) => path.resolve(root, name));
}

/** Nothing is watched: a hook that waits for a change would wait for ever, without a word. */
function reportIdle({ hooks, report }: AgentCore, told: Set<string>): void {
  for (const { id, event, place } of hooks.admitted) {
    if (event !== "FileChanged" || told.has(id)) continue;
    told.add(id);
    const text = `This FileChanged hook never runs: no file is watched. Name files in its "matcher" (".env|docs/notes.txt"), or let a SessionStart hook answer with "watchPaths".`;
    report({ code: "HL_AGENT_WATCH", level: "warning", text, place, hook: id });
  }
}

function absolutePaths(paths: readonly unknown[], onProblem: (text: string) => void): readonly string[] {
  return paths.flatMap((one) => {
    if (typeof one === "string" && path.isAbsolute(one)) return [path.normalize(one)];
    onProblem(`A hook's "watchPaths" has ${JSON.stringify(one)?.slice(0, 200)}, which is no absolute path and is not watched.`);
    return [];
  });
}
