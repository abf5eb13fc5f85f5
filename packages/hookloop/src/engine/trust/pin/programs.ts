/** What is known about programs by their name, as far as it matters for finding the code that a command runs. */

const INTERPRETERS = new Set(
  "sh bash zsh dash ksh fish node nodejs bun deno tsx ts-node ruby perl php lua Rscript pwsh osascript awk gawk".split(" "),
);

/** Code comes from a registry, a manifest, an image or another machine. */
const FETCHERS = new Set(
  "npx npm pnpm pnpx yarn bunx uv uvx pipx pip poetry pdm go cargo make just task rake gradle mvn docker podman ssh nix nix-shell mise direnv run-parts".split(
    " ",
  ),
);

/** Their operands are names or data, never code; some of these files change with every run. */
const DATA_PROGRAMS = new Set(
  "echo printf touch tee rm rmdir mkdir truncate mv chmod chown ls stat test [ [[ true false cd pwd sleep date kill wait exit return export unset set shift read trap umask wc logger notify-send".split(
    " ",
  ),
);

const BUILTINS = new Set(
  ": . [ [[ alias bg break builtin cd command continue declare echo eval exec exit export false fg getopts hash jobs kill let local printf pwd read readonly return set shift source test times trap true type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

/** The next word, or the rest of this one, is code. */
export const INLINE_OPTION: RegExp = /^(?:-[a-zA-Z]*[ceEp]|--eval|--print|-r)(?:=|$)/;

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.has(name) || /^python[\d.]*$/.test(name);
}

export function isFetcher(name: string): boolean {
  return FETCHERS.has(name);
}

export function isDataProgram(name: string): boolean {
  return DATA_PROGRAMS.has(name);
}

export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}
