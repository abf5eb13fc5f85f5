import type { Wrapper } from "./wrapper.ts";

const list = (text: string): readonly string[] => text.split(" ");

/** Most launchers have more options than anybody lists: where one is not known, what follows is read with and without a value for it. */
const PLAIN: Wrapper = { isLenient: true };
const AFTER_DASHES: Wrapper = { after: ["--"] };
const NPX: Wrapper = {
  flags: "yqsgd",
  valued: "pcwC",
  longFlags: list("yes no no-install quiet silent ignore-existing prefer-offline offline workspaces include-workspace-root bun"),
  longValued: list("package call workspace registry cache userconfig prefix loglevel node-options script-shell shell node-arg npm"),
  scripts: ["c", "call"],
  isLenient: true,
};
const NPM: Wrapper = {
  flags: "gs",
  valued: "Cw",
  longFlags: list("global silent workspaces yes"),
  longValued: list("loglevel prefix registry workspace userconfig"),
  isLenient: true,
  subcommands: { exec: NPX, x: NPX },
};
const PNPM: Wrapper = {
  flags: "rsw",
  valued: "CF",
  longFlags: list("recursive silent workspace-root"),
  longValued: list("dir filter"),
  isLenient: true,
  subcommands: { exec: { flags: "rc", longFlags: list("recursive parallel shell-mode"), isLenient: true }, dlx: NPX },
};
const RUN: Wrapper = { isLenient: true, subcommands: { run: PLAIN } };
const EXEC: Wrapper = { isLenient: true, subcommands: { exec: PLAIN } };
const RUN_AFTER_DASHES: Wrapper = { isLenient: true, subcommands: { run: AFTER_DASHES, exec: AFTER_DASHES } };
const UV_RUN: Wrapper = {
  flags: "mqvsn",
  valued: "pCP",
  longFlags: list(
    "frozen locked no-sync isolated active all-extras all-groups no-dev dev offline quiet verbose no-project script module refresh",
  ),
  longValued: list(
    "with extra group python env-file directory project package with-requirements with-editable index-url from no-group only-group",
  ),
  isLenient: true,
};
const CONDA: Wrapper = {
  isLenient: true,
  subcommands: {
    run: {
      flags: "v",
      valued: "np",
      longFlags: list("no-capture-output live-stream dev verbose debug-wrapper-scripts"),
      longValued: list("name prefix cwd"),
      isLenient: true,
    },
  },
};
const GUIX: Wrapper = { ...AFTER_DASHES, isShell: true };
/** It starts a shell that reads stdin. */
const SHELL: Wrapper = { isLenient: true, isShell: true };
const RUN_OR_SHELL: Wrapper = { isLenient: true, subcommands: { run: PLAIN, shell: SHELL } };
const NIX: Wrapper = { after: ["-c", "--command"], isShell: true };

/** Programs of package managers and environments that start the program named in their arguments. */
export const LAUNCHERS: Readonly<Record<string, Wrapper>> = {
  npx: NPX,
  pnpx: NPX,
  bunx: NPX,
  npm: NPM,
  pnpm: PNPM,
  yarn: { longFlags: ["silent"], longValued: ["cwd"], isLenient: true, subcommands: { exec: PLAIN, dlx: NPX } },
  bun: { isLenient: true, subcommands: { x: NPX } },
  corepack: PLAIN,
  uv: {
    flags: "qv",
    longFlags: list("quiet verbose offline"),
    longValued: list("directory project"),
    isLenient: true,
    subcommands: { run: UV_RUN, tool: { subcommands: { run: UV_RUN } } },
  },
  uvx: UV_RUN,
  pipx: { isLenient: true, subcommands: { run: { ...PLAIN, longValued: list("spec python") } } },
  poetry: { flags: "nqv", valued: "CP", isLenient: true, subcommands: { run: PLAIN, shell: SHELL } },
  pipenv: RUN_OR_SHELL,
  pdm: RUN,
  hatch: RUN_OR_SHELL,
  rye: RUN,
  pixi: RUN_OR_SHELL,
  devbox: RUN_OR_SHELL,
  volta: RUN,
  snap: RUN,
  conda: CONDA,
  mamba: CONDA,
  micromamba: CONDA,
  bundle: EXEC,
  bundler: EXEC,
  rbenv: EXEC,
  pyenv: EXEC,
  nodenv: EXEC,
  asdf: { isLenient: true, subcommands: { exec: PLAIN, env: { operands: 1, isLenient: true } } },
  mise: { isLenient: true, subcommands: { exec: AFTER_DASHES, x: AFTER_DASHES } },
  rtx: { isLenient: true, subcommands: { exec: AFTER_DASHES, x: AFTER_DASHES } },
  fnm: { isLenient: true, subcommands: { exec: { ...PLAIN, longValued: ["using"] } } },
  direnv: { subcommands: { exec: { operands: 1 } } },
  rustup: { isLenient: true, subcommands: { run: { flags: "", longFlags: ["install"], operands: 1 } } },
  opam: { isLenient: true, subcommands: { exec: AFTER_DASHES } },
  stack: { isLenient: true, subcommands: { exec: PLAIN } },
  cabal: { isLenient: true, subcommands: { exec: PLAIN } },
  dune: { isLenient: true, subcommands: { exec: PLAIN } },
  mix: { isLenient: true, subcommands: { cmd: PLAIN } },
  luarocks: { isLenient: true, subcommands: { exec: PLAIN } },
  nix: { isLenient: true, subcommands: { develop: NIX, shell: NIX } },
  guix: { isLenient: true, subcommands: { shell: GUIX, environment: GUIX } },
  "cross-env": { assignments: true },
  "cross-env-shell": { assignments: true, isScript: { unless: "" } },
  "env-cmd": { valued: "fre", longValued: list("file rc-file environments"), isLenient: true },
  dotenv: { valued: "efvp", longValued: list("file export"), isLenient: true },
  "dotenv-cli": { valued: "efvp", isLenient: true },
  dotenvx: RUN_AFTER_DASHES,
  doppler: RUN_AFTER_DASHES,
  infisical: RUN_AFTER_DASHES,
  op: RUN_AFTER_DASHES,
  chamber: RUN_AFTER_DASHES,
  "aws-vault": RUN_AFTER_DASHES,
  sops: { subcommands: { "exec-env": { operands: 1, isScript: { unless: "" } }, "exec-file": { operands: 1, isScript: { unless: "" } } } },
  heroku: {
    isLenient: true,
    subcommands: { run: { ...PLAIN, isElsewhere: true }, local: { isLenient: true, subcommands: { run: PLAIN } } },
  },
  railway: { isLenient: true, subcommands: { run: PLAIN } },
  tox: { isLenient: true, subcommands: { exec: AFTER_DASHES } },
  meson: { isLenient: true, subcommands: { devenv: { ...PLAIN, valued: "Cw" } } },
  // `cmake -E env A=1 program`: its tools have the names of programs that do the same.
  cmake: { after: ["-E"] },
  flatpak: { isLenient: true, subcommands: { run: PLAIN } },
  debconf: { valued: "ofp", longValued: list("owner frontend priority"), longFlags: list("terse"), isLenient: true },
};
