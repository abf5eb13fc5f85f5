/**
 * Gates that another file can switch off, by the way in which that file is reached. Each says 2 (it blocks) before the change and something else
 * behind it, so a gate that is called trusted must be seen to have changed.
 */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface DataRoute {
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly declared?: readonly string[];
  /** What happens in the project after the approval. */
  readonly change: (root: string) => void;
}

export type Change = DataRoute["change"];

export const appears =
  (name = "off", text = "yes\n"): Change =>
  (root) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
const folder =
  (name = "off"): Change =>
  (root) => {
    rmSync(path.join(root, name), { recursive: true, force: true });
    mkdirSync(path.join(root, name), { recursive: true });
  };
const link =
  (name = "off", target = "nowhere"): Change =>
  (root) =>
    symlinkSync(target, path.join(root, name));
const gone =
  (name: string): Change =>
  (root) =>
    rmSync(path.join(root, name), { recursive: true });
const older =
  (name: string): Change =>
  (root) =>
    utimesSync(path.join(root, name), 1000, 1000);
const lost =
  (name: string): Change =>
  (root) =>
    chmodSync(path.join(root, name), 0o400);
const renamed =
  (from: string, to: string): Change =>
  (root) =>
    renameSync(path.join(root, from), path.join(root, to));

/** A time zone of its own: version 1 of the format, one zone that is called OFF. */
const ZONE = `TZif\0${"\0".repeat(15)}${"\0".repeat(16)}\0\0\0\x01\0\0\0\x04${"\0".repeat(6)}OFF\0`;

/** A line that says 0 if its condition holds. */
const line = (name: string, condition: string, change: Change = appears(), files: DataRoute["files"] = {}): DataRoute => ({
  name,
  command: `${condition} && exit 0; exit 2`,
  files,
  change,
});

const LIST = { "hooks/list": "off\n" };

const SHELL: readonly DataRoute[] = [
  line("a glob as operand", "cat of[f] > /dev/null 2>&1"),
  line("a glob of echo", '[ "$(echo of*)" = off ]'),
  line("a glob in a list", 'for f in of*; do [ "$f" = off ]; done'),
  line("a glob in a list over two lines", 'for f in \\\n  of*; do [ "$f" = off ]; done'),
  line("a glob of the shell's own words", 'set -- of*; [ "$1" = off ]'),
  line("a glob in a value, without quotes", "x='of*'; [ \"$(echo $x)\" = off ]"),
  line("a glob that is printed, without quotes", "x=$(printf 'of*'); [ \"$(echo $x)\" = off ]"),
  line("a glob behind a redirection", "bash -c 'read -r x < of*' 2> /dev/null"),
  line("a glob in an array", "bash -c 'x=(of*); [ \"${x[0]}\" = off ]'"),
  line("a glob in a menu", "bash -c 'select x in of*; do [ \"$x\" = off ] && exit 0; exit 1; done <<< 1' 2> /dev/null"),
  line("readlink", "readlink off > /dev/null", link()),
  line("realpath", "realpath -e off > /dev/null 2>&1"),
  line("a test for a link", "[ -L off ]", link()),
  line("a test for a link, by another letter", "[ -h off ]", link()),
  line("a test of bash for a link", "bash -c '[[ -L off ]]'", link()),
  line("which is newer", "[ /etc/passwd -nt hooks/a ]", older("hooks/a"), { "hooks/a": "" }),
  line("which is newer, of bash", "bash -c '[[ /etc/passwd -nt hooks/a ]]'", older("hooks/a"), { "hooks/a": "" }),
  line("an operator in a variable", 'op=$(printf %s -e); [ "$op" off ]'),
  line("a test without quotes", "x=$(printf '%s' '-e off'); [ $x ]"),
  line("grep -r without operand", "grep -rq yes"),
  line("grep of a folder", "grep -dskip -rq yes ."),
  line("grep with an option that is known only when it runs", 'x=$(printf %s -r); grep -q "$x" yes .'),
  line("grep with patterns from a list", "xargs grep -q yes < hooks/list 2> /dev/null", appears(), LIST),
  line("ARGV of awk", `awk 'BEGIN { ARGV[1] = "off"; ARGC = 2 } END { exit NR > 0 ? 0 : 2 }' 2> /dev/null`),
  line("getline of awk", `awk 'BEGIN { while ((getline x < "off") > 0) n++; exit n ? 0 : 2 }'`),
  line(
    "getline of awk between quotes in patterns",
    `awk '/"/ { y = 1 } BEGIN { while ((getline x < "off") > 0) n++; exit n ? 0 : 2 } /"/ { y = 1 }'`,
  ),
  line("system of awk between quotes in patterns", `awk 'BEGIN { if (0 ~ /"/) y; exit system("test -e off") ? 2 : 0; if (0 ~ /"/) y }'`),
  line("a file of awk by a value", "awk 'END { exit NR ? 0 : 2 }' \"$(cat hooks/list)\" 2> /dev/null", appears(), LIST),
  line("a list of digests", "! sha256sum -c hooks/sums > /dev/null 2>&1", appears("data", "y"), {
    data: "x",
    "hooks/sums": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881  data\n",
  }),
  line("a list of files for wc", "wc --files0-from=hooks/list > /dev/null 2>&1", appears(), { "hooks/list": "off" }),
  line("a list of files for sort", "sort --files0-from=hooks/list > /dev/null 2>&1", appears(), { "hooks/list": "off" }),
  line("a list of files for du", "du --files0-from=hooks/list > /dev/null 2>&1", appears(), { "hooks/list": "off" }),
  line("a list of files for xargs", "xargs -a hooks/list cat > /dev/null 2>&1", appears(), LIST),
  line("a list of files for a loop", 'while read -r f; do cat "$f" > /dev/null 2>&1; done < hooks/list', appears(), LIST),
  line("a list of files that is put in", "cat $(cat hooks/list) > /dev/null 2>&1", appears(), LIST),
  line("a configuration of curl", "curl -sK hooks/curlrc > /dev/null 2>&1", appears("hooks/data"), {
    "hooks/curlrc": 'url = "http://127.0.0.1:1/"\nurl = "file://localhost/proc/self/cwd/hooks/data"\n',
  }),
  line("a file by curl", 'curl -s "file://$PWD/off" > /dev/null'),
  line("a time zone", '[ "$(TZ=":$CLAUDE_PROJECT_DIR/off" date +%Z)" = OFF ]', appears("off", ZONE)),
  line("a time zone that is exported", 'export TZ=":$CLAUDE_PROJECT_DIR/off"; [ "$(date +%Z)" = OFF ]', appears("off", ZONE)),
  line(
    "a time zone of date",
    `[ "$(date -d "TZ=\\":$CLAUDE_PROJECT_DIR/off\\" 00:00" +%s)" = "$(date -u -d 00:00 +%s)" ] && [ -n "$(TZ=":$CLAUDE_PROJECT_DIR/off" date +%Z | grep OFF)" ]`,
    appears("off", ZONE),
  ),
  line("the time of a file", "date -r off > /dev/null 2>&1"),
  line("dates from a file", "date -f off > /dev/null 2>&1", appears("off", "now\n")),
  line("touch", "touch off/x 2> /dev/null", folder()),
  line("touch of what must be there", '[ -n "$(touch -r off /dev/null 2>&1)" ] || true && touch -r off hooks/t 2> /dev/null', appears(), {
    "hooks/t": "",
  }),
  line("a redirection that does not overwrite", "set -C; ! (echo > off) 2> /dev/null"),
  line("a redirection to what is a folder", "! (echo > log) 2> /dev/null", folder("log")),
  line("a redirection into a folder", "(echo > off/log) 2> /dev/null", folder()),
  line("mkdir", "! mkdir off 2> /dev/null"),
  line("mkdir -p", "! mkdir -p off 2> /dev/null"),
  line("rm", "rm off 2> /dev/null"),
  line("rmdir", "rmdir off 2> /dev/null", folder()),
  line("mv", "mv off x 2> /dev/null"),
  line("cp", "cp off /dev/null 2> /dev/null"),
  line("ln", "ln off x 2> /dev/null"),
  line("ln -s", "! ln -s x off 2> /dev/null"),
  line("chmod", "chmod +r off 2> /dev/null"),
  line("sync", "sync off 2> /dev/null"),
  line("truncate", "truncate -s 0 off/x 2> /dev/null", folder()),
  line("mktemp in a folder", "mktemp -p off > /dev/null 2>&1", folder()),
  line("tee", "echo | tee off/x > /dev/null 2>&1", folder()),
  line("dd", "dd if=off of=/dev/null 2> /dev/null"),
  line("cd", "cd off 2> /dev/null", folder()),
  line("cd to a value", 'cd "$(cat hooks/list)" 2> /dev/null', folder(), LIST),
  line("env -C", "env -C off true 2> /dev/null", folder()),
  line("stat", "stat off > /dev/null 2>&1"),
  line("the size of what is pinned, by its time", '[ "$(stat -c %Y hooks/a)" = 1000 ]', older("hooks/a"), { "hooks/a": "" }),
  line("ls", "ls off > /dev/null 2>&1"),
  line("find", "find . -name off | grep -q ."),
  line("file", "[ -e off ] || tar -cf /dev/null off 2> /dev/null"),
  line("a comparison of folders", "! diff -r hooks/a hooks/b > /dev/null", appears("hooks/a/x"), { "hooks/a/y": "", "hooks/b/y": "" }),
  line("a name by the process", "cat /proc/self/cwd/off > /dev/null 2>&1"),
  line("a name by a descriptor", "exec 9< .; cat /proc/self/fd/9/off > /dev/null 2>&1"),
  line(
    "a setting of the repository",
    "git config -f .gitsettings --get x.off > /dev/null 2>&1",
    appears(".gitsettings", "[x]\n\toff = 1\n"),
  ),
  line("sed that reads a file", "[ -n \"$(echo x | sed -n '$r off')\" ]"),
  line("sed that reads lines of a file", "[ -n \"$(echo x | sed -n 'R off')\" ]"),
  line("jq with a file of its own", "jq -ne --rawfile x off '$x' > /dev/null 2>&1"),
  line("jq of a file", "jq -e . off > /dev/null 2>&1", appears("off", "1")),
  line("a switch beside the name", 'f=$(jq -r .tool_input.file_path); [ -e "$f.off" ]', appears("x.off")),
  line("a switch in the folder of the name", 'f=$(jq -r .tool_input.file_path); [ -e "$(dirname "$f")/off" ]'),
  {
    name: "a here-document",
    command: "grep -q yes << E\n$(cat off 2> /dev/null)\nE\n[ $? = 0 ] && exit 0; exit 2",
    change: appears(),
  },
  line("a trap", "trap 'test -e off && exit 0' EXIT; false"),
  line("an input for a block", "{ read -r x; } < off 2> /dev/null"),
  line("a descriptor", "(exec 3< off) 2> /dev/null"),
  line("a file as arithmetic", "x='a[$(test -e off && echo 1 || echo 0)]'; a=0; bash -c 'a=(0 1); x=$1; exit $((1 - x))' _ \"$x\""),
  line("a program that is looked for", "command -v ./off > /dev/null", (root) => {
    appears("off", "#!/bin/sh\n")(root);
    chmodSync(path.join(root, "off"), 0o755);
  }),
  line("the right to run", "[ -x hooks/a ]", (root) => chmodSync(path.join(root, "hooks/a"), 0o755), { "hooks/a": "" }),
  line(
    "an input that is not the event",
    `echo '{"tool_input":{"file_path":"off"}}' | { f=$(jq -r .tool_input.file_path); cat "$f" > /dev/null 2>&1; }`,
  ),
  line(
    "a text that is not the event",
    `x='{"tool_input":{"file_path":"off"}}'; f=$(echo "$x" | jq -r .tool_input.file_path); cat "$f" > /dev/null 2>&1`,
  ),
  line("a way through a folder", "[ -e sub/../README.md ]", folder("sub"), { "README.md": "" }),
  line("a file that is called like an operator", "[ -e -a ]", appears("-a")),
  line("an option of the shell", "! bash -o noclobber -c 'echo > off' 2> /dev/null"),
  line("quotes that do not belong together", `x=$(printf 'of*'); [ "$(echo "it's "$x"'")" = "it's off'" ]`, appears("it's off'")),
  { name: "a file of an argv", command: "cat", args: ["off"], change: appears() },
  { name: "a test of an argv", command: "test", args: ["-e", "off"], change: appears() },
  { name: "a shell of an argv", command: "sh", args: ["-c", "[ -e off ] && exit 0; exit 2"], change: appears() },
  line("a file that goes", "! cat hooks/rules > /dev/null 2>&1", gone("hooks/rules"), { "hooks/rules": "x" }),
  line("a folder that is renamed", "! cd hooks/rules 2> /dev/null", renamed("hooks/rules", "hooks/other"), { "hooks/rules/x": "" }),
];

/** A module that says 0 if an expression does not throw. */
const tries = (name: string, expression: string, change: Change = appears(), imports = 'import fs from "node:fs";'): DataRoute => ({
  name,
  command: "node hooks/x.mjs",
  files: { "hooks/x.mjs": `${imports}\ntry {\n  ${expression};\n} catch {\n  process.exit(2);\n}\n` },
  change,
});
/** The same the other way round. */
const fails = (name: string, expression: string, change: Change = appears()): DataRoute => ({
  name,
  command: "node hooks/x.mjs",
  files: { "hooks/x.mjs": `import fs from "node:fs";\ntry {\n  ${expression};\n} catch {\n  process.exit(0);\n}\nprocess.exit(2);\n` },
  change,
});

const JAVASCRIPT: readonly DataRoute[] = [
  tries("utimesSync", 'fs.utimesSync("off", 1, 1)'),
  fails("mkdirSync", 'fs.mkdirSync("off")'),
  tries("unlinkSync", 'fs.unlinkSync("off")'),
  tries("renameSync", 'fs.renameSync("off", "x")'),
  fails("symlinkSync", 'fs.symlinkSync("x", "off")'),
  tries("linkSync", 'fs.linkSync("off", "x")'),
  tries("rmdirSync", 'fs.rmdirSync("off")', folder()),
  tries("rmSync", 'fs.rmSync("off")'),
  tries("mkdtempSync", 'fs.mkdtempSync("off/x")', folder()),
  tries("chmodSync", 'fs.chmodSync("off", 0o600)'),
  tries("truncateSync", 'fs.truncateSync("off")'),
  tries("copyFileSync", 'fs.copyFileSync("off", "x")'),
  tries("readlinkSync", 'fs.readlinkSync("off")', link()),
  tries("lstatSync", 'fs.lstatSync("off")', link()),
  tries("realpathSync", 'fs.realpathSync("off")'),
  tries("readdirSync", 'fs.readdirSync("off")', folder()),
  tries("opendirSync", 'fs.opendirSync("off")', folder()),
  tries("statfsSync", 'fs.statfsSync("off")'),
  tries("watch", 'fs.watch("off").close()'),
  tries("openSync to write", 'fs.openSync("off/x", "w")', folder()),
  fails("openSync of what must not be there", 'fs.openSync("off", "wx")'),
  fails("writeFileSync of what must not be there", 'fs.writeFileSync("off", "", { flag: "wx" })'),
  tries("writeFileSync into a folder", 'fs.writeFileSync("off/x", "")', folder()),
  fails("appendFileSync to a folder", 'fs.appendFileSync("off", "")', folder()),
  fails(
    "createWriteStream's flags",
    'fs.closeSync(fs.openSync("off", fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_WRONLY))',
  ),
  {
    name: "the time of what is pinned",
    command: "node hooks/x.mjs",
    files: {
      "hooks/x.mjs": 'import { statSync } from "node:fs";\nprocess.exit(statSync("hooks/a").mtimeMs < 2e6 ? 0 : 2);\n',
      "hooks/a": "",
    },
    change: older("hooks/a"),
  },
  {
    name: "the rights of what is pinned",
    command: "node hooks/x.mjs",
    files: {
      "hooks/x.mjs": 'import { statSync } from "node:fs";\nprocess.exit((statSync("hooks/a").mode & 0o777) === 0o400 ? 0 : 2);\n',
      "hooks/a": "",
    },
    change: lost("hooks/a"),
  },
  tries("promises", 'await fs.promises.rename("off", "x")'),
  tries(
    "a folder for what is started",
    'execFileSync("true", { cwd: "off" })',
    folder(),
    'import { execFileSync } from "node:child_process";',
  ),
  tries(
    "a line that is started",
    'execSync("cat of[f]", { stdio: "ignore" })',
    appears(),
    'import { execSync } from "node:child_process";',
  ),
  tries(
    "a socket",
    'await new Promise((done, no) => net.connect("off").on("connect", done).on("error", (error) => (error.code === "ENOENT" ? no(error) : done())))',
    appears(),
    'import net from "node:net";',
  ),
  tries(
    "a socket of http",
    'await new Promise((done, no) => http.get({ socketPath: "off" }).on("error", (error) => (error.code === "ENOENT" ? no(error) : done())))',
    appears(),
    'import http from "node:http";',
  ),
];

/** The same of Python, its folder pinned. */
const python = (name: string, code: string, change: Change = appears(), files: DataRoute["files"] = {}): DataRoute => ({
  name: `Python: ${name}`,
  command: "python3 hooks/x.py",
  declared: ["hooks/**"],
  files: { "hooks/x.py": code, ...files },
  change,
});
export const pythonTries = (name: string, imports: string, expression: string, change: Change = appears()): DataRoute =>
  python(name, `import sys\n${imports}\ntry:\n    ${expression}\nexcept Exception:\n    sys.exit(2)\n`, change);
const pythonFails = (name: string, imports: string, expression: string, change: Change = appears()): DataRoute =>
  python(name, `import sys\n${imports}\ntry:\n    ${expression}\nexcept Exception:\n    sys.exit(0)\nsys.exit(2)\n`, change);

const PYTHON: readonly DataRoute[] = [
  pythonFails("os.mkdir", "import os", 'os.mkdir("off")'),
  pythonTries("os.utime", "import os", 'os.utime("off")'),
  pythonTries("os.rename", "import os", 'os.rename("off", "x")'),
  pythonTries("os.remove", "import os", 'os.remove("off")'),
  pythonTries("os.stat", "import os", 'os.stat("off")'),
  pythonTries("os.readlink", "import os", 'os.readlink("off")', link()),
  pythonTries("os.lstat", "from os import lstat", 'lstat("off")', link()),
  pythonTries("os.open", "import os", 'os.open("off", os.O_RDONLY)'),
  pythonFails("touch", "from pathlib import Path", 'Path("off").touch(exist_ok=False)'),
  pythonFails("mkdir of a path", "import pathlib", 'pathlib.Path("off").mkdir()'),
  pythonTries("unlink of a path", "import pathlib", 'pathlib.Path("off").unlink()'),
  pythonFails("open of what must not be there", "", 'open("off", "x")'),
  pythonTries("open to write", "", 'open("off/x", "w")', folder()),
  pythonTries("a file by its address", "import urllib.request, os", 'urllib.request.urlopen("file://" + os.getcwd() + "/off")'),
  python("islink", 'import os, sys\nsys.exit(0 if os.path.islink("off") else 2)\n', link()),
  python("a time", 'import os, sys\nsys.exit(0 if os.path.getmtime("hooks/a.txt") == 1000 else 2)\n', older("hooks/a.txt"), {
    "hooks/a.txt": "",
  }),
  pythonTries("a handler", "import logging", 'logging.FileHandler("off/x")', folder()),
];

const READ_EVENT = 'import fs from "node:fs";\nconst input = JSON.parse(fs.readFileSync(0, "utf8"));\n';
/** A module that says 0 if the file `off` of the folder `policy` is there, by a value that is another than where it was declared. */
const module = (name: string, code: string, files: DataRoute["files"] = {}): DataRoute => ({
  name: `changed: ${name}`,
  command: "node hooks/x.mjs",
  files: { "hooks/x.mjs": code, "policy/keep": "", ...files },
  change: appears("policy/off"),
});
/** The same of the folder that a program is started in. */
const startsIn = (name: string, change: string, rest = ""): DataRoute =>
  module(
    name,
    `import { spawnSync } from "node:child_process";\nconst options = { stdio: "ignore" };\n${change};\nprocess.exitCode = spawnSync("test", ["-e", "off"], options).status === 0 ? 0 : 2;\n${rest}`,
  );
/** The same of the words that it is started with. */
const startsWith = (name: string, change: string): DataRoute =>
  module(
    name,
    `import { spawnSync } from "node:child_process";\nconst args = ["-e", "nowhere"];\n${change};\nprocess.exitCode = spawnSync("test", args).status === 0 ? 0 : 2;\n`,
  );
/** The same of a file that is looked for. */
const looksFor = (name: string, before: string, file: string): DataRoute =>
  module(
    name,
    `import fs from "node:fs";\nimport os from "node:os";\nimport path from "node:path";\n${before}\nprocess.exitCode = fs.existsSync(${file}) ? 0 : 2;\n`,
  );

const CHANGED: readonly DataRoute[] = [
  startsIn("a member", 'options.cwd = "policy"'),
  startsIn("a member by a text", 'options["cwd"] = "policy"'),
  startsIn("a member by a value", 'for (const key of ["cwd"]) options[key] = "policy"'),
  startsIn("Object.assign", 'Object.assign(options, { cwd: "policy" })'),
  startsIn("assign of another name", 'const { assign } = Object;\nassign(options, { cwd: "policy" })'),
  startsIn("Object.defineProperty", 'Object.defineProperty(options, "cwd", { value: "policy", enumerable: true })'),
  startsIn("an alias", 'const same = options;\nsame.cwd = "policy"'),
  startsIn("a function", 'const into = (one) => { one.cwd = "policy"; };\ninto(options)'),
  startsIn("a pattern", '[options.cwd] = ["policy"]'),
  startsIn("a pattern of names", '({ x: options.cwd } = { x: "policy" })'),
  startsIn("a loop", 'for (options.cwd of ["policy"]);'),
  startsIn("this of a function", 'function into() { this.cwd = "policy"; }\ninto.call(options)'),
  startsIn(
    "this of a class",
    'class Base { constructor() { return options; } }\nclass Into extends Base { constructor() { super(); this.cwd = "policy"; } }\nnew Into()',
  ),
  module(
    "the second of two names",
    'import { spawnSync } from "node:child_process";\nprocess.exitCode = spawnSync("test", ["-e", "off"], { cwd: "hooks", cwd: "policy" }).status === 0 ? 0 : 2;\n',
  ),
  startsWith("an element", 'args[1] = "policy/off"'),
  startsWith("splice", 'args.splice(1, 1, "policy/off")'),
  startsWith("pop and push", 'args.pop();\nargs.push("policy/off")'),
  startsWith("push that is borrowed", 'args.length = 1;\nArray.prototype.push.call(args, "policy/off")'),
  startsWith("a name that is taken apart", 'const { splice } = args;\nsplice.call(args, 1, 1, "policy/off")'),
  looksFor("pathname", 'const url = new URL("./off", import.meta.url);\nurl.pathname = path.resolve("policy/off");', "url"),
  looksFor("path.join", 'path.join = () => "policy/off";', 'path.join("hooks", "off")'),
  looksFor("os.homedir", 'os.homedir = () => "policy";', 'path.join(os.homedir(), "off")'),
  looksFor("import.meta", 'import.meta.dirname = "policy";', 'path.join(import.meta.dirname, "off")'),
  looksFor("import.meta.resolve", "", 'new URL(import.meta.resolve("../policy/off"))'),
  looksFor("a parameter", "const ask = (path) => path.join();", 'ask({ join: () => "policy/off" })'),
  module(
    "a local name",
    'import fs from "node:fs";\nconst path = { join: () => "policy/off" };\nprocess.exitCode = fs.existsSync(path.join("hooks", "off")) ? 0 : 2;\n',
  ),
  module(
    "a local name of the language",
    'import fs from "node:fs";\nconst String = () => "policy/off";\nprocess.exitCode = fs.existsSync(String("off")) ? 0 : 2;\n',
  ),
  module(
    "JSON.parse",
    `import fs from "node:fs";\nJSON.parse = () => ({ tool_input: { file_path: "policy/off" } });\nconst input = JSON.parse(fs.readFileSync(0, "utf8"));\nprocess.exitCode = fs.existsSync(input.tool_input.file_path) ? 0 : 2;\n`,
  ),
  module(
    "the file of the call",
    `${READ_EVENT}input.tool_input.file_path = "policy/off";\nprocess.exitCode = fs.existsSync(input.tool_input.file_path) ? 0 : 2;\n`,
  ),
  module(
    "the file of the call, where it is parsed",
    'import fs from "node:fs";\nconst input = JSON.parse(fs.readFileSync(0, "utf8"), (key, value) => (key === "file_path" ? "policy/off" : value));\nprocess.exitCode = fs.existsSync(input.tool_input.file_path) ? 0 : 2;\n',
  ),
];

const ASK = "f=$(jq -r '.tool_input.file_path // empty')";
const CHANGED_IN_SHELL: readonly DataRoute[] = [
  line("the file of an event without one", 'f=$(jq -r .tool_input.path); [ -e "$f" ]', appears("null")),
  line("a value for none", `f=$(jq -r '.tool_input.path // empty'); : "\${f:=off}"; [ -e "$f" ]`),
  line("a value for none, where it is used", `f=$(jq -r '.tool_input.path // empty'); echo "\${f=}\${f:=off}" > /dev/null; [ -e "$f" ]`),
  line("a value that is read", `bash -c '${ASK.replaceAll("'", '"')}; read -r f <<< off; [ -e "$f" ]'`),
  {
    name: "a value of printf",
    command: "bash hooks/x.sh",
    files: { "hooks/x.sh": `${ASK}\nprintf -v f off\n[ -e "$f" ] && exit 0\nexit 2\n` },
    change: appears(),
  },
  line("a value of a list", `${ASK}; for f in off; do [ -e "$f" ]; done`),
  ...["cd policy", "pushd policy > /dev/null"].flatMap((goes) => [
    {
      name: `a library that goes: ${goes}`,
      command: "bash hooks/x.sh",
      files: { "hooks/x.sh": ". hooks/lib.sh\n[ -e off ] && exit 0\nexit 2\n", "hooks/lib.sh": `${goes} || exit 2\n`, "policy/keep": "" },
      change: appears("policy/off"),
    },
    {
      name: `a function that goes: ${goes}`,
      command: "bash hooks/x.sh",
      files: { "hooks/x.sh": `go() { ${goes} || exit 2; }\ngo\n[ -e off ] && exit 0\nexit 2\n`, "policy/keep": "" },
      change: appears("policy/off"),
    },
    {
      name: `a trap that goes: ${goes}`,
      command: "bash hooks/x.sh",
      files: { "hooks/x.sh": `trap '${goes}' USR1\nkill -USR1 $$\n[ -e off ] && exit 0\nexit 2\n`, "policy/keep": "" },
      change: appears("policy/off"),
    },
  ]),
  line("jq that the script makes", `jq() { echo off; }; ${ASK}; [ -e "$f" ]`),
  {
    name: "dirname that the script makes",
    command: "bash hooks/x.sh",
    files: { "hooks/x.sh": 'dirname() { echo policy; }\n[ -e "$(dirname "$0")/off" ] && exit 0\nexit 2\n', "policy/keep": "" },
    change: appears("policy/off"),
  },
  {
    name: "cat that a library makes",
    command: "bash hooks/x.sh",
    files: {
      "hooks/x.sh": ". hooks/lib.sh\ncat hooks/list\nexit 2\n",
      "hooks/lib.sh": "cat() { [ -e off ] && exit 0; }\n",
      "hooks/list": "",
    },
    change: appears(),
  },
  {
    name: "pwd that the script makes",
    command: "bash hooks/x.sh",
    files: { "hooks/x.sh": 'pwd() { echo policy; }\n[ -e "$(pwd)/off" ] && exit 0\nexit 2\n', "policy/keep": "" },
    change: appears("policy/off"),
  },
];

const CHANGED_IN_PYTHON: readonly DataRoute[] = [
  python(
    "os.path.join is another",
    'import os, sys\nos.path.join = lambda *all: "off"\nsys.exit(0 if os.path.exists(os.path.join("hooks", "x")) else 2)\n',
  ),
  python(
    "__file__ is another",
    'import os, sys\n__file__ = "policy/x"\nsys.exit(0 if os.path.exists(os.path.join(os.path.dirname(__file__), "off")) else 2)\n',
    appears("policy/off"),
  ),
  python(
    "os.path.exists is set",
    'import os, sys\nsetattr(os.path, "join", lambda *all: "off")\nsys.exit(0 if os.path.exists(os.path.join("hooks", "x")) else 2)\n',
  ),
  python(
    "os.getcwd is another",
    'import os, sys\nos.getcwd, x = (lambda: "policy"), 1\nsys.exit(0 if os.path.exists(os.path.join(os.getcwd(), "off")) else 2)\n',
    appears("policy/off"),
  ),
  python(
    "a function called os",
    'import sys\nfrom os.path import exists\nclass os:\n    class path:\n        join = staticmethod(lambda *all: "off")\nsys.exit(0 if exists(os.path.join("hooks", "x")) else 2)\n',
  ),
];

export const DATA_ROUTES: readonly DataRoute[] = [
  ...SHELL,
  ...JAVASCRIPT,
  ...PYTHON,
  ...CHANGED,
  ...CHANGED_IN_SHELL,
  ...CHANGED_IN_PYTHON,
];
