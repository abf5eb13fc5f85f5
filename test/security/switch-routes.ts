/** More gates that a file switches off: by the value of a variable, by how a name is put together, by ways of the language. See `data-routes.ts`. */
import { appears, type Change, type DataRoute, pythonTries } from "./data-routes.ts";

/** A library of another name is loaded, because a variable has another value than where it was set. */
const switched = (name: string, text: string, change: Change, shell = "bash"): DataRoute => ({
  name: `${shell}: ${name}`,
  command: `${shell} hooks/x.sh`,
  files: { "hooks/x.sh": text, "hooks/n1": "exit 2\n", "hooks/n2": "exit 2\n", "hooks/list": "2\n", "policy/n1": "exit 2\n" },
  change,
});
const SET: readonly DataRoute[] = [
  "[[ f=2 -eq 2 ]]",
  "(( f = 2 ))",
  "(( f++ ))",
  "let f=2",
  "let f++",
  ": $((f=2))",
  ": $[f=2]",
  "l[f=2]=a",
  "l[f++]=a",
  ": ${l[f++]}",
  "x=abc; : ${x:f=2}",
  "x=abc; : ${x:0:f++}",
  "[[ -v l[f=2] ]]",
  "test -v 'l[f=2]'",
  "l=(a); unset 'l[f=2]'",
  "v='f=2'; (( v ))",
  "v='f=2'; [[ v -eq 2 ]]",
  "v='f=2'; : ${l[v]}",
  "printf -v f 2",
  "printf -v 'l[f=2]' x",
  "read -r f <<< 2",
  "read -r -a f <<< 2",
  "mapfile -t f <<< 2",
  "set -- -2; getopts 12 f",
  "declare -n g=f; g=2",
  "h() { local -n g=f; g=2; }; h",
  "declare -i n; n='f=2'",
  "select f in 2; do break; done <<< 1 2> /dev/null",
  "for ((f=2; f<2; )); do :; done",
  "unset f; [[ ${f:=2} ]]",
  "v=f; declare $v=2",
  "v=f; read -r $v <<< 2",
  "trap 'f=2' DEBUG; :",
  "BASH_REMATCH=1; [[ 2 =~ . ]]; f=$BASH_REMATCH",
  "REPLY=1; read -r <<< 2; f=$REPLY",
  "set -- -a2; getopts a: o; f=$OPTARG",
  "x='$((f=2))'; : \"${x@P}\"",
  "l=(1 2); i=1; f=${l[i]}",
  "f=$(< hooks/list)",
  "f=0; n=1; declare 'n=f=2'; (( n ))",
].map((sets) => switched(sets, `f=1\n${sets}\n. ./hooks/n$f\nexit 2\n`, appears("hooks/n2", "exit 0\n")));
const OF_DASH: readonly DataRoute[] = [
  switched("what it takes for a command", "f=1\nf+=2 2> /dev/null\n. ./hooks/n$f\nexit 2\n", appears("hooks/n1", "exit 0\n"), "dash"),
  switched("a test it does not have", "f=1\n[[ x ]] 2> /dev/null && f=2\n. ./hooks/n$f\nexit 2\n", appears("hooks/n1", "exit 0\n"), "dash"),
  switched("arithmetic that is two groups", "((. ./hooks/n1)) && exit 0\nexit 2\n", appears("hooks/n1", "exit 0\n"), "dash"),
  switched(
    "a variable it does not declare",
    "f=1; declare f=2 2> /dev/null\n. ./hooks/n$f\nexit 2\n",
    appears("hooks/n1", "exit 0\n"),
    "dash",
  ),
  switched(
    "its own folder, in another shell",
    'bash -c \'. "$(dirname "$0")/n1"\' policy/x && exit 0; exit 2\n',
    appears("policy/n1", "exit 0\n"),
  ),
];

/** A file whose name Node puts together in its own way. */
const NAMED: readonly DataRoute[] = [
  'path.join(D, "/off")',
  'path.join(D, "sub", "..", "//off")',
  'new URL("./of%66", import.meta.url)',
  'new URL("./o\\tff", import.meta.url)',
  'new URL("./off?x#y", import.meta.url)',
  'fileURLToPath(new URL("./sub/%2e%2e/off", import.meta.url))',
  'path.join(path.dirname(process.cwd() + "/x"), "hooks/off")',
  'path.join(path.dirname(import.meta.url).slice(7), "off")',
  '`${new URL("./off", import.meta.url)}`.slice(7)',
  '["hooks", "off"].join("/")',
  'path.join.apply(null, ["hooks", "off"])',
  'path.format({ dir: D, base: "off" })',
  'pathToFileURL("hooks/off")',
  'D + "-x/off"',
  'path.join(D + "-x", "off")',
].map((name) => ({
  name: `Node: ${name}`,
  command: "node hooks/x.mjs",
  files: {
    "hooks/x.mjs": `import fs from "node:fs";\nimport path from "node:path";\nimport { fileURLToPath, pathToFileURL } from "node:url";\nconst D = import.meta.dirname;\nlet text = "";\ntry {\n  text = fs.readFileSync(${name}, "utf8");\n} catch {}\nprocess.exit(text === "yes\\n" ? 0 : typeof fileURLToPath === typeof pathToFileURL ? 2 : 1);\n`,
    "hooks/sub/x": "",
  },
  change: (root: string) => {
    appears("hooks/off")(root);
    appears("hooks-x/off")(root);
  },
}));
const CODE_FROM_TEXT = `("return process.getBuiltinModule('fs').existsSync('off')")()`;
const FOUND: readonly DataRoute[] = [
  `const get = (one, name) => one[name];\nprocess.exit(get(get, "construct" + "or")${CODE_FROM_TEXT} ? 0 : 2);\n`,
  `const all = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(() => {}));\nconst [made] = Object.values(all).map(({ value }) => value).filter((one) => one?.name === "Function");\nprocess.exit(made${CODE_FROM_TEXT} ? 0 : 2);\n`,
].map((text, index) => ({
  name: `Node: code by a way that is found (${index})`,
  command: "node hooks/x.mjs",
  files: { "hooks/x.mjs": text },
  change: appears(),
}));

const OTHER_PYTHON: readonly DataRoute[] = [
  pythonTries("methodcaller", "import operator, pathlib", 'operator.methodcaller("read_text")(pathlib.Path("off"))'),
  pythonTries("attrgetter", "import operator, os", 'operator.attrgetter("path.getsize")(os)("off")'),
  pythonTries("another name of a function", "from os.path import getsize as size", 'size("off")'),
  pythonTries("another name of a module", "import sys as s, os", 's.modules["os"].path.getsize("off")'),
  pythonTries("io.FileIO", "import io", 'io.FileIO("off")'),
  pythonTries("a jar", "import http.cookiejar", 'http.cookiejar.LWPCookieJar().load("off")', appears("off", "#LWP-Cookies-2.0\n")),
  pythonTries("xml", "import xml.dom.minidom", 'xml.dom.minidom.parse("off")', appears("off", "<a/>")),
  pythonTries("annotations", "import typing", `typing.get_type_hints(type("A", (), {"__annotations__": {"a": "open('off')"}}))`),
  pythonTries("a name that is a parameter elsewhere", "def one(open): pass", 'open("off")'),
];

export const SWITCH_ROUTES: readonly DataRoute[] = [...SET, ...OF_DASH, ...NAMED, ...FOUND, ...OTHER_PYTHON];
