import type { Wrapper } from "./programs/wrapper-table.ts";
import { type ShellWord, UNKNOWN } from "./types.ts";
import { cutWord, textWord } from "./words.ts";

/** What the options of a wrapper say, and what follows them. */
export interface Options {
  readonly rest: readonly ShellWord[];
  /** Letters that were given. */
  readonly letters: string;
  /** Values by letter or long name. */
  readonly values: ReadonlyMap<string, ShellWord>;
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
  /** The value of the option that is split into words. */
  readonly split?: ShellWord | undefined;
  /** An option we do not know: what follows may be its value. */
  readonly unknown?: string | undefined;
  /** Letters and long names, as they were written. */
  readonly given: readonly string[];
}

interface State {
  at: number;
  letters: string;
  readonly values: Map<string, ShellWord>;
  split?: ShellWord | undefined;
  unknown?: string | undefined;
  readonly given: string[];
}

/** To a program any name is one: `env 'a-b=1' rm x` runs rm, and `BASH_FUNC_ls%%=…` is a function. */
const ASSIGNMENT = /^([^=]*)=(.*)$/s;

/** Reads the options after a wrapper's name, its assignments and its operands. */
export function readOptions(words: readonly ShellWord[], wrapper: Wrapper): Options {
  const state: State = { at: firstOption(words, wrapper), letters: "", values: new Map(), given: [] };
  const operands: ShellWord[] = [];
  while (state.at < words.length && !state.split) {
    const text = words[state.at]?.text ?? "";
    if (text === "--") {
      state.at++;
      break;
    }
    if (text.startsWith("--")) readLong(words, wrapper, state, 2);
    else if (wrapper.singleDash && /^-../.test(text)) readLong(words, wrapper, state, 1);
    else if (/^[-+]./.test(text) || (text === "-" && wrapper.flags?.includes("-"))) readWrapperLetters(words, wrapper, state);
    else if (wrapper.permutes) operands.push(words[state.at++] as ShellWord);
    else break;
  }
  const assignments = wrapper.assignments ? readAssignments(words, state) : [];
  const { at, ...found } = state;
  const rest = [...operands, ...words.slice(at)];
  return { ...found, assignments, rest: rest.slice(wrapper.operands ?? 0) };
}

function firstOption(words: readonly ShellWord[], { hasFirstOperand }: Wrapper): number {
  return hasFirstOperand && words[1] !== undefined && !words[1].text.startsWith("-") ? 2 : 1;
}

function readAssignments(words: readonly ShellWord[], state: State): Options["assignments"] {
  const assignments: { name: string; value: ShellWord }[] = [];
  for (;;) {
    const word = words[state.at];
    const [, name, value] = ASSIGNMENT.exec(word?.text ?? "") ?? [];
    if (!word || name === undefined || value === undefined) return assignments;
    assignments.push({ name, value: cutWord(word, name.length + 1) });
    state.at++;
  }
}

function readLong(words: readonly ShellWord[], wrapper: Wrapper, state: State, dashes: number): void {
  const word = words[state.at++];
  const [name = "", value] = (word?.text.slice(dashes) ?? "").split(/=(.*)/s);
  state.given.push(name);
  if (wrapper.twoValued?.includes(name)) state.at += 2;
  else if (wrapper.longValued?.includes(name)) {
    const given = value === undefined || !word ? words[state.at++] : textWord(value, word.span, word.source);
    if (given) state.values.set(name, given);
    if (name === wrapper.split?.long) state.split = given;
  } else if (!wrapper.longFlags?.includes(name) && (value === undefined || dashes === 1)) state.unknown = `--${name}`;
}

function readWrapperLetters(words: readonly ShellWord[], wrapper: Wrapper, state: State): void {
  const word = words[state.at++];
  const text = word?.text ?? "";
  if (text === "-") state.letters += "-";
  for (let index = 1; index < text.length; index++) {
    const letter = text.charAt(index);
    state.letters += letter;
    state.given.push(letter);
    if (wrapper.attached?.includes(letter)) return;
    if (wrapper.valued?.includes(letter)) {
      const attached = text.slice(index + 1);
      const value = attached === "" || !word ? words[state.at++] : textWord(attached, word.span, word.source);
      if (value) state.values.set(letter, value);
      if (letter === wrapper.split?.letter) state.split = value;
      return;
    }
    if (!wrapper.flags?.includes(letter)) {
      state.unknown = `-${letter}`;
      return;
    }
  }
}

/** Options that take the next word as their value, per program. What is missing here is read as an operand. */
const TABLE: Readonly<Record<string, string>> = {
  git: "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path --attr-source",
  kubectl:
    "-n --namespace --context --cluster --kubeconfig --user -s --server --token --as -f --filename -l --selector -o --output --timeout --grace-period --field-selector --replicas",
  helm: "-n --namespace --kube-context --kubeconfig -f --values --set --version --timeout",
  docker: "-H --host -c --context --config -l --log-level --filter --name -v --volume -e --env",
  "docker-compose": "-f --file -p --project-name --profile --env-file --project-directory",
  aws: "--profile --region --endpoint-url --output --query --color --bucket --key --stack-name --db-instance-identifier --instance-ids --cli-input-json --exclude --include",
  gcloud: "--project --account --configuration --format --zone --region --filter --cluster",
  gsutil: "-o -h",
  az: "-g --resource-group -n --name --subscription -o --output --query",
  terraform: "-chdir -target -var -var-file -state -lock-timeout -parallelism",
  psql: "-c --command -d --dbname -f --file -h --host -p --port -U --username -v --set -o --output",
  mysql: "-e --execute -h --host -P --port -u --user -D --database -S --socket",
  mysqladmin: "-h --host -P --port -u --user -S --socket",
  sqlite3: "-cmd -separator",
  "redis-cli": "-h -p -a -n -u -s --user --pass",
  mongosh: "--eval --host --port -u --username -p --password --db",
  curl: "-X --request -o --output -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -H --header -F --form -T --upload-file -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -K --config -m --max-time -w --write-out -x --proxy --url --connect-timeout --retry -r --range --cacert --cert -E --key",
  wget: "-O --output-document -o --output-file -P --directory-prefix --post-file --post-data --body-file --body-data --method --header -U --user-agent -t --tries -T --timeout -i --input-file",
  find: "",
  aria2c: "-o --out -d --dir -i",
  rsync:
    "-e --rsh --exclude --include --exclude-from --include-from --files-from -f --filter --log-file --bwlimit --port --password-file --partial-dir --backup-dir --temp-dir -T --suffix --link-dest --compare-dest --copy-dest --max-delete --rsync-path --chown --chmod",
  rclone: "--config --exclude --include --filter --transfers --checkers --bwlimit --log-file --max-delete --backup-dir",
  chmod: "--reference",
  chown: "--reference --from",
  cp: "-t --target-directory -S --suffix",
  mv: "-t --target-directory -S --suffix",
  ln: "-t --target-directory -S --suffix",
  install: "-t --target-directory -m --mode -o --owner -g --group -S --suffix",
  truncate: "-s --size -r --reference -o",
  shred: "-n --iterations -s --size --random-source",
  tar: "-f --file -C --directory -T -X --exclude",
  sed: "-e --expression -f --file -l --line-length",
  awk: "-F --field-separator -v --assign -f --file -E --exec",
  python: "-c -m -W -X",
  node: "-e --eval -p --print -r --require --import --loader --input-type",
  perl: "-e -E -I -M -m",
  ruby: "-e -I -r -C",
  lua: "-e -l",
  osascript: "-e -l",
  rscript: "-e",
  julia: "-e -E -L",
  elixir: "-e -r",
  groovy: "-e",
  r: "-e",
  swift: "-e",
  scala: "-e",
  ghc: "-e",
  clojure: "-e --eval",
  clj: "-e --eval",
  bb: "-e",
  racket: "-e --eval",
  guile: "-c",
  sbcl: "--eval",
  emacs: "--eval -eval --execute",
  erl: "-eval",
  ocaml: "-e",
  kotlin: "-e",
  expect: "-c",
  gnuplot: "-e",
  octave: "--eval",
  bpftrace: "-e -c -p",
  raku: "-e -I -M",
  php: "-r -d -f -B -R -E -c",
  ssh: "-i -p -l -o -F -J -L -R -D -b -c -e -m -O -Q -S -W -w",
  scp: "-i -P -o -F -J -l -c -S",
  "ssh-keygen": "-t -b -f -C -N -P",
  nc: "-e -c -p -s -w -x -X -i -O -q",
  pkill: "-u --euid -U --uid -g --pgroup -G -P --parent -t --terminal -s --session --signal",
  killall: "-u --user -s --signal -g -o -y --older-than --younger-than",
  kill: "-s --signal -n",
  crontab: "-u",
  grep: "-e --regexp -f --file -A -B -C -m --max-count --include --exclude --exclude-dir --color",
  rg: "-e --regexp -f --file -A -B -C -m --max-count -g --glob -t --type --pre --pre-glob --hostname-bin",
  glab: "-R --repo -X --method -f -F --field --raw-field -H --header --hostname",
  gh: "-R --repo -X --method -f -F --field --raw-field -H --header --hostname -q --jq",
  npm: "-e --eval --prefix -w --workspace --registry --tag --access --otp -C --dir --filter -F",
  yarn: "--cwd --registry --tag --access --otp",
  restic: "-r --repo -p --password-file --tag --host --keep-last",
  borg: "--repo --lock-wait --glob-archives -a -P --prefix",
  ansible: "-m --module-name -a --args -i --inventory -u --user -f --forks -l --limit -e --extra-vars",
  vault: "-address -namespace",
  systemctl: "-H --host -M --machine -t --type -p --property -s --signal",
  dropdb: "-h --host -p --port -U --username",
  su: "-c --command -s --shell -g -G",
  "git switch": "-c -C --create --force-create --orphan --conflict",
  "git commit": "-m -F -C -c --message --file --author --date --fixup --squash -t --template",
  "git branch": "-u --set-upstream-to --contains --points-at --sort --format",
  "git tag": "-m -F -u --message --file --local-user",
  "git clean": "-e --exclude",
  "git worktree": "-b -B --reason",
  "git stash": "-m --message",
  "git rebase": "-x --exec --onto -s -X --strategy",
  "git clone": "-c --config --conf -u --upload-pack -b --branch -o --origin --depth --reference -j --template",
  "git pull": "--upload-pack --depth -j --refmap -s -X --strategy",
  "git grep": "-e -f -A -B -C -m",
  "git difftool": "-x --extcmd -t --tool",
  "git fetch": "--upload-pack --depth -j --refmap",
  "git ls-remote": "--upload-pack --sort",
  "git push": "--receive-pack --exec --repo -o --push-option",
  "git log": "-n -S -G -L --author --grep --since --until --format --output -O",
  "git submodule": "--branch -b --depth -j --reference",
  "git bisect": "",
  parallel:
    "-j --jobs -a --arg-file -I -n --max-args -N -L -P --max-procs -S --sshlogin -d --delimiter --colsep -C --workdir --wd --timeout --retries --joblog --halt --delay",
  xargs: "-I -J -R -S -n --max-args -P --max-procs -L -s --max-chars -d --delimiter -E -a --arg-file --process-slot-var",
  nats: "-s --server --context --user --password --creds",
};

const SETS = new Map(Object.entries(TABLE).map(([name, list]) => [name, new Set(list.split(" ").filter(Boolean))]));
const NONE: ReadonlySet<string> = new Set();

export function valuedOptions(program: string): ReadonlySet<string> {
  return SETS.get(program) ?? NONE;
}

/** An option as given: `-f`, `--force`, `-auto-approve`. */
export interface GivenOption {
  readonly name: string;
  readonly value?: string | undefined;
  readonly word: ShellWord;
}

/** The words after a program's name, sorted. */
export interface Arguments {
  readonly options: readonly GivenOption[];
  readonly operands: readonly ShellWord[];
  /** Operands that came after `--`. */
  readonly afterDashes: readonly ShellWord[];
  readonly hasDashes: boolean;
}

/** Sorts words into options and operands. `valued`: options that take the next word, as `-C --git-dir`. */
export function readArguments(words: readonly ShellWord[], valued: ReadonlySet<string>): Arguments {
  const options: GivenOption[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const { text } = word;
    if (text === "--") {
      const afterDashes = words.slice(at + 1);
      return { options, operands: [...operands, ...afterDashes], afterDashes, hasDashes: true };
    }
    if (text.length < 2 || text[0] !== "-") operands.push(word);
    else if (takesNext(readOption(word, valued, options), valued)) {
      const last = options.pop() as GivenOption;
      options.push({ ...last, value: words[++at]?.text });
    }
  }
  return { options, operands, afterDashes: [], hasDashes: false };
}

function takesNext(last: GivenOption | undefined, valued: ReadonlySet<string>): boolean {
  return last !== undefined && last.value === undefined && valued.has(last.name);
}

/** Adds the option or options of a word; gives the last one. */
function readOption(word: ShellWord, valued: ReadonlySet<string>, options: GivenOption[]): GivenOption | undefined {
  const { text } = word;
  const equals = text.indexOf("=");
  const head = equals === -1 ? text : text.slice(0, equals);
  const value = equals === -1 ? undefined : text.slice(equals + 1);
  if (text.startsWith("--")) options.push({ name: head.toLowerCase(), value, word });
  else {
    // `-auto-approve` is one option to some programs and letters to others: both are noted.
    if (head.length > 2) options.push({ name: head.toLowerCase(), value: value ?? "", word });
    if (head.length > 2 && valued.has(head)) options.push({ name: head, value, word });
    else readLetters(word, valued, options);
  }
  return options.at(-1);
}

function readLetters(word: ShellWord, valued: ReadonlySet<string>, options: GivenOption[]): void {
  const { text } = word;
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`;
    const rest = text.slice(at + 1);
    if (valued.has(name) && rest !== "") {
      options.push({ name, value: rest, word });
      return;
    }
    if (text[at] === "=" || text[at] === UNKNOWN) return;
    options.push({ name, value: undefined, word });
  }
}

/** The last option of these names that was given; long names also abbreviated, down to `shortest` characters. */
export function findOption({ options }: Arguments, names: readonly string[], shortest = 3): GivenOption | undefined {
  return options.findLast(({ name }) => names.some((wanted) => name === wanted || isAbbreviation(name, wanted, shortest)));
}

function isAbbreviation(given: string, wanted: string, shortest: number): boolean {
  return given.length >= shortest && given.startsWith("--") && given.length < wanted.length && wanted.startsWith(given);
}
