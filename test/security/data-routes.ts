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

type Change = DataRoute["change"];

const appears =
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
const pythonTries = (name: string, imports: string, expression: string, change: Change = appears()): DataRoute =>
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

export const DATA_ROUTES: readonly DataRoute[] = [...SHELL, ...JAVASCRIPT, ...PYTHON];
