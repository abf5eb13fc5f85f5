import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDialects } from "../../dialects/index.ts";
import type { ConfigDocument } from "../types.ts";
import { type FindOptions, type FoundSources, findSources } from "./find-sources.ts";

let base: string;
let options: FindOptions;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-find-")));
  options = {
    cwd: at("project"),
    home: at("home"),
    env: {},
    dialects: createDialects(),
    managedRoot: at("managed"),
    managedUid: process.getuid?.() ?? 0,
  };
  for (const folder of ["project", "home", "managed"]) mkdirSync(at(folder));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function at(...path: string[]): string {
  return join(base, ...path);
}

function write(path: string, content: unknown): string {
  const file = at(path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const hooksFor = (command: string): unknown => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
const commands = (documents: readonly ConfigDocument[]): readonly unknown[] =>
  documents.flatMap(({ hooks }) => hooks.map(({ fields }) => fields["command"]));
const codes = ({ diagnostics }: FoundSources): readonly string[] => diagnostics.map(({ code }) => code);

describe("where files are looked for", () => {
  test("every file of a session is found, with its scope and dialect", async () => {
    write("managed/hooks.json", hooksFor("managed"));
    write("managed/hooks.d/20-b.json", hooksFor("managed-b"));
    write("managed/hooks.d/10-a.json", hooksFor("managed-a"));
    write("managed/hooks.d/note.txt", "x");
    write("home/.config/hookloop/hooks.json", hooksFor("user-native"));
    write("home/.claude/settings.json", hooksFor("user"));
    write("project/.hookloop/hooks.json", hooksFor("project-native"));
    write("project/.hookloop/hooks.local.json", hooksFor("local-native"));
    write("project/.claude/settings.json", hooksFor("project"));
    write("project/.claude/settings.local.json", hooksFor("local"));
    write("project/.hooks.json", { hooks: { SessionStart: [{ command: "flat" }] } });
    const { documents, diagnostics } = await findSources({ ...options, settings: JSON.stringify(hooksFor("flag")) });
    expect(documents.map(({ source, hooks }) => [source.scope, source.dialect, hooks[0]?.fields["command"]])).toEqual([
      ["managed", "native", "managed"],
      ["managed", "native", "managed-a"],
      ["managed", "native", "managed-b"],
      ["flag", "claude", "flag"],
      ["user", "native", "user-native"],
      ["user", "claude", "user"],
      ["local", "native", "local-native"],
      ["local", "claude", "local"],
      ["project", "native", "project-native"],
      ["project", "claude", "project"],
      ["project", "hooks-json", "flat"],
    ]);
    expect(diagnostics).toEqual([]);
  });

  test("nothing there is nothing to say", async () => {
    expect(await findSources(options)).toEqual({ documents: [], diagnostics: [], plugins: [], missingPlugins: [] });
  });

  test("XDG_CONFIG_HOME counts if it is absolute", async () => {
    write("xdg/hookloop/hooks.json", hooksFor("xdg"));
    write("home/.config/hookloop/hooks.json", hooksFor("default"));
    expect(commands((await findSources({ ...options, env: { XDG_CONFIG_HOME: at("xdg") } })).documents)).toEqual(["xdg"]);
    expect(commands((await findSources({ ...options, env: { XDG_CONFIG_HOME: "xdg" } })).documents)).toEqual(["default"]);
  });

  test("a parent's project files do not count, but its local Claude file does if it is the git root", async () => {
    write("project/.claude/settings.json", hooksFor("parent"));
    write("project/.hookloop/hooks.json", hooksFor("parent-native"));
    write("project/.claude/settings.local.json", hooksFor("git-root"));
    write("project/sub/.claude/settings.local.json", hooksFor("here"));
    const sub = { ...options, cwd: at("project", "sub") };
    expect(commands((await findSources(sub)).documents)).toEqual(["here"]);
    mkdirSync(at("project", ".git"));
    expect(commands((await findSources(sub)).documents)).toEqual(["here", "git-root"]);
  });

  test("what a .git file says is not followed", async () => {
    write("elsewhere/.claude/settings.local.json", hooksFor("elsewhere"));
    write("project/.git", `gitdir: ${at("elsewhere", ".git")}\n`);
    expect((await findSources(options)).documents).toEqual([]);
  });

  test("in the home folder the user's file is not read again as the project's", async () => {
    write("home/.claude/settings.json", hooksFor("user"));
    const { documents } = await findSources({ ...options, cwd: options.home });
    expect(documents.map(({ source }) => source.scope)).toEqual(["user"]);
  });
});

describe("settings of one run", () => {
  test("may be a file, a value, or text with a place of its own", async () => {
    write("project/run.json", hooksFor("file"));
    expect(commands((await findSources({ ...options, settings: "run.json" })).documents)).toEqual(["file"]);
    expect(commands((await findSources({ ...options, settings: hooksFor("value") as Record<string, unknown> })).documents)).toEqual([
      "value",
    ]);
    const { documents } = await findSources({ ...options, settings: '{"hooks":5}' });
    expect(documents[0]?.diagnostics[0]?.place).toEqual({ file: "--settings", line: 1, column: 10 });
  });

  test("a file that was asked for and is missing is an error, and so is a value that is no JSON", async () => {
    const missing = await findSources({ ...options, settings: "none.json" });
    expect(missing.diagnostics).toMatchObject([{ code: "HL_CONFIG_UNREADABLE", place: { file: at("project", "none.json") } }]);
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    expect(codes(await findSources({ ...options, settings: cyclic }))).toEqual(["HL_CONFIG_UNREADABLE"]);
  });
});

describe("managed files count only if root alone can change them", () => {
  const managed = async (): Promise<readonly [readonly unknown[], readonly string[]]> => {
    const found = await findSources(options);
    return [commands(found.documents), codes(found)];
  };
  beforeEach(() => {
    write("managed/hooks.json", hooksFor("policy"));
  });

  test.each([
    ["the file, by its group", "managed/hooks.json", 0o664],
    ["the file, by anyone", "managed/hooks.json", 0o646],
    ["its folder", "managed", 0o777],
    ["its folder, even a sticky one", "managed", 0o1777],
    ["a folder above", ".", 0o777],
  ])("not: %s", async (_name, path, mode) => {
    expect(await managed()).toEqual([["policy"], []]);
    chmodSync(at(path), mode);
    expect(await managed()).toEqual([[], ["HL_CONFIG_MANAGED_WRITABLE"]]);
  });

  test("not: files of another user", async () => {
    options = { ...options, managedUid: 0 };
    if (process.getuid?.() === 0) execFileSync("chown", ["12345", at("managed", "hooks.json")]);
    expect(await managed()).toEqual([[], ["HL_CONFIG_MANAGED_WRITABLE"]]);
  });

  test("not: a link to a file that others can change", async () => {
    write("open/hooks.json", hooksFor("open"));
    chmodSync(at("open"), 0o777);
    rmSync(at("managed", "hooks.json"));
    symlinkSync(at("open", "hooks.json"), at("managed", "hooks.json"));
    expect(await managed()).toEqual([[], ["HL_CONFIG_MANAGED_WRITABLE"]]);
    chmodSync(at("open"), 0o755);
    expect(await managed()).toEqual([["open"], []]);
  });

  test("one open drop-in does not take its neighbours with it", async () => {
    chmodSync(write("managed/hooks.d/a.json", hooksFor("a")), 0o666);
    write("managed/hooks.d/b.json", hooksFor("b"));
    expect(await managed()).toEqual([["policy", "b"], ["HL_CONFIG_MANAGED_WRITABLE"]]);
  });
});

describe("what is not a readable file neither hangs nor stays silent", () => {
  const file = (): string => {
    mkdirSync(at("project", ".claude"), { recursive: true });
    return at("project", ".claude", "settings.json");
  };

  test.each([
    ["a FIFO", () => execFileSync("mkfifo", [file()])],
    ["a folder", () => mkdirSync(file())],
    ["a device", () => symlinkSync("/dev/zero", file())],
    ["a link to nothing", () => symlinkSync("/nonexistent/x", file())],
    ["a link to itself", () => symlinkSync("settings.json", file())],
    ["text that is not UTF-8", () => writeFileSync(file(), Buffer.from([0xff, 0xfe, 0x7b, 0x00]))],
  ])("%s", async (_name, make) => {
    make();
    const found = await findSources(options);
    expect(found.documents).toEqual([]);
    expect(found.diagnostics).toMatchObject([{ code: "HL_CONFIG_UNREADABLE", level: "error", place: { file: file() } }]);
  });

  test("a socket", async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(file(), done));
    try {
      expect(codes(await findSources(options))).toEqual(["HL_CONFIG_UNREADABLE"]);
    } finally {
      server.close();
    }
  });

  test("50 MB are refused by their size", async () => {
    writeFileSync(file(), "");
    truncateSync(file(), 50 * 1024 * 1024);
    expect(codes(await findSources(options))).toEqual(["HL_CONFIG_TOO_LARGE"]);
  });

  test("a bad file does not take another one with it", async () => {
    mkdirSync(file());
    write("project/.hookloop/hooks.json", hooksFor("good"));
    expect(commands((await findSources(options)).documents)).toEqual(["good"]);
  });
});

describe("files that come with a project or a plugin count only from inside of it", () => {
  test.each([".claude/settings.json", ".claude/settings.local.json", ".hookloop/hooks.json", ".hookloop/hooks.local.json", ".hooks.json"])(
    "%s that is a link out of the project is not read, and that is an error",
    async (name) => {
      const target = write("elsewhere/x.json", hooksFor("outside"));
      mkdirSync(dirname(at("project", name)), { recursive: true });
      symlinkSync(target, at("project", name));
      const found = await findSources(options);
      expect(found.documents).toEqual([]);
      expect(found.diagnostics).toMatchObject([{ code: "HL_CONFIG_UNREADABLE", level: "error", place: { file: at("project", name) } }]);
      expect(found.diagnostics[0]?.text).toContain(`outside of the project or plugin it belongs to, to ${target}`);
    },
  );

  test("nor is what lies in a folder that is a link out of it", async () => {
    write("elsewhere/settings.json", hooksFor("outside"));
    symlinkSync(at("elsewhere"), at("project", ".claude"));
    expect(codes(await findSources(options))).toEqual(["HL_CONFIG_UNREADABLE"]);
  });

  test("a link inside the project counts, and the user's own files may be links to anywhere", async () => {
    write("project/shared.json", hooksFor("inside"));
    mkdirSync(at("project", ".claude"));
    symlinkSync("../shared.json", at("project", ".claude", "settings.json"));
    write("dotfiles/settings.json", hooksFor("mine"));
    mkdirSync(at("home", ".claude"));
    symlinkSync(at("dotfiles", "settings.json"), at("home", ".claude", "settings.json"));
    expect(commands((await findSources(options)).documents)).toEqual(["mine", "inside"]);
  });

  test.each(["hooks/hooks.json", ".claude-plugin/plugin.json", "plugin.json"])(
    "a plugin's %s that leads out of it is not read",
    async (name) => {
      const target = write("elsewhere/x.json", { name: "p", ...(hooksFor("outside") as object) });
      mkdirSync(dirname(at("plug", name)), { recursive: true });
      symlinkSync(target, at("plug", name));
      const found = await findSources({ ...options, plugins: [at("plug")] });
      expect([found.documents, codes(found)]).toEqual([[], ["HL_CONFIG_UNREADABLE"]]);
    },
  );

  test("a pack that is a link out of the project is not read; one of a workspace is", async () => {
    for (const folder of ["elsewhere/pack", "project/packages/own"]) {
      write(`${folder}/package.json`, { name: "x", hookloop: { hooks: "./hooks.json" } });
      write(`${folder}/hooks.json`, hooksFor(folder));
    }
    write("project/.hookloop/hooks.json", { plugins: ["pack", "own"] });
    mkdirSync(at("project", "node_modules"));
    symlinkSync(at("elsewhere", "pack"), at("project", "node_modules", "pack"));
    symlinkSync("../packages/own", at("project", "node_modules", "own"));
    const found = await findSources(options);
    expect([commands(found.documents), codes(found)]).toEqual([["project/packages/own"], ["HL_CONFIG_PACK_ESCAPES"]]);
  });
});

describe("plugins", () => {
  test("hooks/hooks.json and inline hooks are read under the plugin's name", async () => {
    write("plug/.claude-plugin/plugin.json", { name: "my-plugin", hooks: (hooksFor("inline") as { hooks: unknown }).hooks });
    write("plug/hooks/hooks.json", { description: "d", ...(hooksFor("file") as object) });
    const { documents, diagnostics } = await findSources({ ...options, plugins: [at("plug")] });
    expect(commands(documents)).toEqual(["file", "inline"]);
    expect(documents[0]?.source).toMatchObject({
      scope: "plugin",
      dialect: "claude",
      root: at("plug"),
      plugin: { id: "my-plugin", root: at("plug") },
    });
    expect([...diagnostics, ...documents.flatMap((document) => document.diagnostics)]).toEqual([]);
  });

  test("without a manifest the folder's name is the plugin's", async () => {
    write("plug/hooks/hooks.json", hooksFor("x"));
    const { documents } = await findSources({ ...options, cwd: base, plugins: ["plug"] });
    expect(documents[0]?.source.plugin).toEqual({ id: "plug", root: at("plug") });
  });

  test("a manifest may name a file inside the plugin, not outside", async () => {
    write("outside.json", hooksFor("outside"));
    write("plug/more.json", hooksFor("more"));
    symlinkSync(at("outside.json"), at("plug", "link.json"));
    for (const [hooks, expected] of [
      ["./more.json", ["more"]],
      [["./more.json"], ["more"]],
      ["../outside.json", []],
      ["link.json", []],
      [5, []],
    ] as const) {
      write("plug/plugin.json", { name: "p", hooks });
      const found = await findSources({ ...options, plugins: [at("plug")] });
      expect([hooks, commands(found.documents)]).toEqual([hooks, expected]);
      expect(codes(found)).toEqual(expected.length > 0 ? [] : ["HL_CONFIG_WRONG_TYPE"]);
    }
  });

  test("a manifest may have a list of files and event maps; all are added to hooks/hooks.json", async () => {
    const map = (name: string): unknown => (hooksFor(name) as { hooks: unknown }).hooks;
    write("plug/hooks/hooks.json", hooksFor("standard"));
    write("plug/extra.json", hooksFor("extra"));
    write("plug/.claude-plugin/plugin.json", { name: "p", hooks: ["./extra.json", map("one"), map("two"), 5, { hooks: map("wrapped") }] });
    const found = await findSources({ ...options, plugins: [at("plug")] });
    expect(commands(found.documents)).toEqual(["standard", "extra", "one", "two"]);
    expect(codes(found)).toEqual(["HL_CONFIG_WRONG_TYPE"]);
    const [place] = found.documents
      .flatMap(({ hooks }) => hooks)
      .flatMap(({ fields, place: at }) => (fields["command"] === "two" ? at : []));
    expect(place).toMatchObject({ file: at("plug", ".claude-plugin", "plugin.json"), line: 1 });
    expect(found.documents.flatMap(({ diagnostics }) => diagnostics)).toMatchObject([{ code: "HL_CONFIG_UNKNOWN_EVENT" }]);
  });

  test("a wrapper around inline hooks is explained", async () => {
    write("plug/plugin.json", { name: "p", hooks: hooksFor("x") });
    const { documents } = await findSources({ ...options, plugins: [at("plug")] });
    expect(documents[0]?.diagnostics).toMatchObject([{ code: "HL_CONFIG_UNKNOWN_EVENT" }]);
    expect(documents[0]?.diagnostics[0]?.text).toContain("one level too deep");
  });

  test("a missing folder and a broken manifest are said", async () => {
    write("plug/plugin.json", "{");
    expect(codes(await findSources({ ...options, plugins: [at("plug"), at("none")] }))).toEqual([
      "HL_CONFIG_INVALID_JSON",
      "HL_CONFIG_UNREADABLE",
    ]);
  });
});

describe("hooks that a plugin has and nothing reads are named", () => {
  const gate = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 2" }] }] };
  const told = async (plugins: readonly string[] = [at("plug")]) => {
    const { documents, diagnostics } = await findSources({ ...options, plugins });
    const all = [...diagnostics, ...documents.flatMap((document) => document.diagnostics)];
    return all.map(({ code, level, text, place }) => ({ code, level, text, file: place?.file.slice(base.length + 1) }));
  };

  test.each(["hooks.json", ".claude-plugin/hooks/hooks.json", ".claude-plugin/hooks.json", "hooks/hook.json", ".claude/settings.json"])(
    "in %s",
    async (file) => {
      write("plug/.claude-plugin/plugin.json", { name: "p" });
      write(`plug/${file}`, { hooks: gate });
      const text = expect.stringContaining(`Move what it says to ${at("plug/hooks/hooks.json")}.`);
      expect(await told()).toEqual([{ code: "HL_CONFIG_MISNAMED", level: "warning", text, file: `plug/${file}` }]);
    },
  );

  test("but not the settings of the plugin's own authors, nor what its manifest names", async () => {
    write("plug/.claude-plugin/plugin.json", { name: "p", hooks: "./hooks/hook.json" });
    write("plug/hooks/hook.json", { hooks: gate });
    write("plug/.claude/settings.json", { hooks: gate });
    expect(await told()).toEqual([]);
  });

  test("without the outer key", async () => {
    write("plug/hooks/hooks.json", gate);
    const text = expect.stringContaining('The event "PreToolUse" must stand inside "hooks"');
    expect(await told()).toEqual([{ code: "HL_CONFIG_UNKNOWN_FIELD", level: "error", text, file: "plug/hooks/hooks.json" }]);
    write("plug/hooks/hooks.json", { PreTooluse: gate.PreToolUse });
    expect(await told()).toMatchObject([{ code: "HL_CONFIG_UNKNOWN_FIELD", text: expect.stringContaining('Did you mean "PreToolUse"?') }]);
  });

  test("in a file that the manifest names and that is not there", async () => {
    write("plug/plugin.json", { name: "p", hooks: "./nope.json" });
    const text = expect.stringContaining("names it, and it does not exist");
    expect(await told()).toEqual([{ code: "HL_CONFIG_UNREADABLE", level: "error", text, file: "plug/plugin.json" }]);
  });

  test("in plugins of a folder that was named instead of them", async () => {
    write("plugs/one/hooks/hooks.json", { hooks: gate });
    mkdirSync(at("plugs/other"));
    const text = expect.stringContaining(`Name each plugin by itself: ${at("plugs/one")}.`);
    expect(await told([at("plugs")])).toEqual([{ code: "HL_CONFIG_PLUGIN_MISSING", level: "error", text, file: "plugs" }]);
  });

  test("in plugins that lie in the project", async () => {
    write("project/.claude/plugins/one/.claude-plugin/plugin.json", { name: "one" });
    const file = write("project/.claude/plugins/one/hooks/hooks.json", { hooks: gate });
    const text = expect.stringContaining("Start with --plugin-dir .claude/plugins/one");
    expect(await told([])).toEqual([{ code: "HL_CONFIG_MISNAMED", level: "warning", text, file: file.slice(base.length + 1) }]);
    expect(await told([at("project/.claude/plugins/one")])).toEqual([]);
  });
});

describe("installed plugins", () => {
  const PLUGINS = "home/.claude/plugins";
  const ID = "demo@mk";
  const isOn = (value: unknown): object => ({ enabledPlugins: { [ID]: value } });

  interface Installed {
    readonly entries?: unknown;
    readonly market?: unknown;
  }

  function install({
    entries,
    market = { source: { source: "github", repo: "x/y" }, installLocation: at("home", "mk") },
  }: Installed = {}): void {
    write("home/cache/demo/.claude-plugin/plugin.json", { name: "demo" });
    write("home/cache/demo/hooks/hooks.json", hooksFor("installed"));
    const user = [{ scope: "user", installPath: at("home", "cache", "demo"), version: "1.0.0" }];
    write(`${PLUGINS}/installed_plugins.json`, { version: 2, plugins: { [ID]: entries ?? user } });
    write(`${PLUGINS}/known_marketplaces.json`, market === null ? {} : { mk: market });
  }

  const run = async (isWorkspaceTrusted: boolean | "either" = false): Promise<readonly [readonly unknown[], readonly string[]]> => {
    const found = await findSources({ ...options, isWorkspaceTrusted });
    return [commands(found.documents), codes(found)];
  };

  test("one that is installed and enabled by the user counts; one that is not enabled does not", async () => {
    install();
    expect(await run()).toEqual([[], []]);
    write("home/.claude/settings.json", isOn(true));
    expect(await run()).toEqual([["installed"], []]);
    write("home/.claude/settings.json", isOn(false));
    expect(await run()).toEqual([[], []]);
  });

  test.each([
    ["not installed", { entries: [] }],
    ["installed for another project", { entries: [{ scope: "project", installPath: "/x", projectPath: "/other" }] }],
    ["from an unknown marketplace", { market: null }],
    ["not in the folder that is its marketplace", { market: { source: { source: "directory", path: "/none" }, installLocation: "/none" } }],
  ])("enabled and %s: said, and known as missing", async (_what, how) => {
    install(how);
    write("home/.claude/settings.json", isOn(true));
    expect(await run()).toEqual([[], ["HL_CONFIG_PLUGIN_MISSING"]]);
    expect((await findSources(options)).missingPlugins).toEqual(["demo"]);
  });

  test.each(["project", "local"])("installed in %s scope, it counts for that project only", async (scope) => {
    install({ entries: [{ scope, installPath: at("home", "cache", "demo"), projectPath: at("project") }] });
    write("home/.claude/settings.json", isOn(true));
    expect(await run()).toEqual([["installed"], []]);
  });

  test("until the workspace is trusted, its settings switch no plugin on, and none of the user's off", async () => {
    install();
    for (const file of ["settings.json", "settings.local.json"]) {
      write(`project/.claude/${file}`, isOn(true));
      expect(await run()).toEqual([[], ["HL_CONFIG_PLUGIN_UNTRUSTED"]]);
      expect(await run(true)).toEqual([["installed"], []]);
      expect(await run("either")).toEqual([["installed"], ["HL_CONFIG_PLUGIN_UNTRUSTED"]]);
      write("home/.claude/settings.json", isOn(true));
      expect(await run()).toEqual([["installed"], []]);
      write(`project/.claude/${file}`, isOn(false));
      expect(await run()).toEqual([["installed"], ["HL_CONFIG_PLUGIN_UNTRUSTED"]]);
      expect(await run(true)).toEqual([[], []]);
      expect(await run("either")).toEqual([["installed"], ["HL_CONFIG_PLUGIN_UNTRUSTED"]]);
      write(`project/.claude/${file}`, {});
      write("home/.claude/settings.json", {});
    }
  });

  test("a plugin of a marketplace that is a folder is read there, not from its copy; never outside of it", async () => {
    write("home/mk/plugins/demo/hooks/hooks.json", hooksFor("own"));
    write("home/elsewhere/hooks/hooks.json", hooksFor("outside"));
    install({ market: { source: { source: "directory", path: at("home", "mk") }, installLocation: at("home", "mk") } });
    write("home/.claude/settings.json", isOn(true));
    write("home/mk/.claude-plugin/marketplace.json", { plugins: [{ name: "demo", source: "./plugins/demo" }] });
    expect(await run()).toEqual([["own"], []]);
    write("home/mk/.claude-plugin/marketplace.json", { plugins: [{ name: "demo", source: "../elsewhere" }] });
    expect(await run()).toEqual([[], ["HL_CONFIG_PLUGIN_MISSING"]]);
  });

  test.each([
    ["is no JSON", "{", "HL_CONFIG_INVALID_JSON"],
    ["is no object", "[]", "HL_CONFIG_UNREADABLE"],
  ])("a list of installed plugins that %s is said", async (_what, text, code) => {
    install();
    write(`${PLUGINS}/installed_plugins.json`, text);
    write("home/.claude/settings.json", isOn(true));
    expect((await run())[1]).toEqual([code, "HL_CONFIG_PLUGIN_MISSING"]);
  });

  test("the same folder on the command line is read once", async () => {
    install();
    write("home/.claude/settings.json", isOn(true));
    const found = await findSources({ ...options, plugins: [at("home", "cache", "demo")] });
    expect(commands(found.documents)).toEqual(["installed"]);
    expect(found.plugins).toEqual([{ name: "demo", root: at("home", "cache", "demo") }]);
  });
});

describe("configuration of the home folder that counts only for a session there", () => {
  test.each([".hookloop/hooks.json", ".hookloop/hooks.local.json", ".hooks.json"])("%s is named in every folder below", async (name) => {
    const file = write(`home/${name}`, hooksFor("x"));
    for (const folder of ["home/sub", "home/sub/deep"]) {
      write(`${folder}/a.txt`, "");
      const { diagnostics } = await findSources({ ...options, cwd: at(folder) });
      expect(diagnostics).toMatchObject([
        { code: "HL_CONFIG_ABOVE", level: "warning", text: expect.stringContaining("~/.config/hookloop/hooks.json"), place: { file } },
      ]);
    }
    expect(codes(await findSources({ ...options, cwd: at("home") }))).not.toContain("HL_CONFIG_ABOVE");
    expect(codes(await findSources(options))).not.toContain("HL_CONFIG_ABOVE");
  });

  test("the user's own settings are read and not named, and what lies above the home folder does not count", async () => {
    write("home/.claude/settings.json", hooksFor("x"));
    write(".hooks.json", hooksFor("x"));
    write("home/sub/a.txt", "");
    expect(codes(await findSources({ ...options, cwd: at("home/sub") }))).toEqual([]);
  });
});

describe("a file that nearly has the name of one that is read", () => {
  test.each([
    ["project/.claude/hooks.json", ".claude/settings.json"],
    ["project/.claude/setting.json", ".claude/settings.json"],
    ["project/.claude/Settings.json", ".claude/settings.json"],
    ["project/.claude/settigns.json", ".claude/settings.json"],
    ["project/.claude/settings.jsonc", ".claude/settings.json"],
    ["project/.claude/settings", ".claude/settings.json"],
    ["project/.claude/settings-local.json", ".claude/settings.local.json"],
    ["project/.claude/hooks/hooks.json", ".claude/settings.json"],
    ["project/.hookloop/settings.json", ".hookloop/hooks.json"],
    ["project/.hookloop/hook.json", ".hookloop/hooks.json"],
    ["project/.hookloop.json", ".hookloop/hooks.json"],
    ["project/.hook.json", ".hookloop/hooks.json"],
    ["project/hooks.json", ".claude/settings.json"],
    ["project/hooks/hooks.json", ".claude/settings.json"],
    ["project/settings.json", ".claude/settings.json"],
    ["project/.Claude/settings.json", ".claude/settings.json"],
    ["project/claude/settings.json", ".claude/settings.json"],
    ["project/hookloop/hooks.json", ".hookloop/hooks.json"],
    ["home/.claude/hooks.json", "~/.claude/settings.json"],
    ["home/.claude/settings.local.json", "~/.claude/settings.json"],
    ["home/.config/hookloop/settings.json", "hooks.json"],
  ])("%s is named, with %s", async (name, right) => {
    const file = write(name, hooksFor("x"));
    const found = await findSources(options);
    expect(found.documents).toEqual([]);
    expect(found.diagnostics).toMatchObject([
      { code: "HL_CONFIG_MISNAMED", level: "warning", text: expect.stringContaining(right), place: { file } },
    ]);
  });

  test("hooks/hooks.json is in its place where the project is a plugin", async () => {
    write("project/.claude-plugin/plugin.json", { name: "mine" });
    write("project/hooks/hooks.json", hooksFor("x"));
    expect(codes(await findSources(options))).toEqual([]);
  });

  test.each([
    ["with a comment", '{ // mine\n "hooks": {"Stop": []} }'],
    ["with a syntax error", '{"hooks": {"PreToolUse": [}'],
    ["without the outer key", '{"PreToolUse": []}'],
    ["in YAML", "hooks:\n  PreToolUse:\n    - matcher: Bash\n"],
    ["with rules only", '{"permissions": {"deny": ["Bash(rm *)"]}}'],
  ])("counts %s", async (_how, text) => {
    write("project/.claude/hooks.json", text);
    expect(codes(await findSources(options))).toEqual(["HL_CONFIG_MISNAMED"]);
  });

  test("is left alone if it says nothing of hooks or rules, is a copy, or is read by another name", async () => {
    write("project/settings.json", { theme: "dark", Notification: true });
    write("project/config.json", { hooks: { before: "x" } });
    write("project/.claude/settings.json.bak", hooksFor("x"));
    write("project/.claude/settings.old.json", hooksFor("x"));
    write("project/.claude/config.json", { key: 1 });
    const real = write("project/.claude/settings.json", hooksFor("x"));
    symlinkSync(real, at("project/hooks.json"));
    symlinkSync("/dev/zero", at("project/.claude/hooks.json"));
    write("project/.hookloop/settings.json", hooksFor("flag"));
    expect(codes(await findSources({ ...options, settings: at("project/.hookloop/settings.json") }))).toEqual([]);
  });
});

test.each([
  [".cursor/hooks.json", { version: 1, hooks: { beforeShellExecution: [{ command: "exit 2" }] } }, "Cursor"],
  [".gemini/settings.json", { theme: "x", hooks: { BeforeTool: [] } }, "Gemini CLI"],
  [".codex/hooks.json", hooksFor("x"), "Codex"],
  [".github/hooks/guard.json", { version: 1, hooks: { preToolUse: [{ bash: "exit 2" }] } }, "GitHub Copilot"],
])("hooks in %s belong to another agent, which is told once", async (name, content, agent) => {
  const file = write(`project/${name}`, content);
  const text = expect.stringContaining(`These hooks are ${agent}'s and do not run here`);
  expect((await findSources(options)).diagnostics).toMatchObject([
    { code: "HL_CONFIG_OTHER_AGENT", level: "notice", text, place: { file } },
  ]);
  write(`project/${name}`, { theme: "dark" });
  expect((await findSources(options)).diagnostics).toEqual([]);
});
