import { describe, expect, test } from "vitest";
import { processorMs } from "../growth.test-suite.ts";
import { failureSign } from "./interpret.ts";

/** What programs print when they cannot do their work, by who says it. */
const COMPLAINTS: Readonly<Record<string, readonly string[]>> = {
  "a shell about a line of the script": [
    "g.sh: 2: Bad substitution",
    "/home/me/my hooks/guard: 3: Syntax error: end of file unexpected",
    ".claude/hooks/guard: 7: foo: parameter not set",
    "g.sh: eval: line 3: syntax error near unexpected token `then'",
    'g.sh: line 4: [[: 1 +: syntax error: operand expected (error token is "+")',
    "g.sh: command substitution: line 12: unexpected EOF while looking for matching `\"'",
    "./g.sh: Zeile 3: jq: Kommando nicht gefunden.",
    "./g.sh: ligne 3 : jq : commande introuvable",
    "g.zsh:3: command not found: jq",
    "/opt/g.zsh:12: parse error near `fi'",
    "guard: line 1: 28950 Segmentation fault      ./check",
  ],
  "a shell about itself": [
    "bash: -c: line 2: syntax error near unexpected token `then'",
    "bash: cannot make pipe for command substitution: Too many open files",
    "bash: fork: retry: Resource temporarily unavailable",
    'bash: 1/0: division by 0 (error token is "0")',
    "bash: foo: unbound variable",
    "-bash: jq: command not found",
    "sh: 1: jq: not found",
    "/bin/sh: jq: not found",
    "dash: 0: cannot open nosuch.sh: No such file",
    "zsh:1: command not found: jq",
    "fish: Unknown command: jq",
    "ksh: syntax error: `fi' unexpected",
    "bash: echo: write error: No space left on device",
  ],
  "the system, through a shell": [
    "Segmentation fault",
    "Segmentation fault (core dumped)",
    "Killed",
    "Aborted",
    "Terminated",
    "Bus error",
    "Illegal instruction (core dumped)",
    "Floating point exception",
    "Segmentation fault: 11",
    "./check: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or directory",
    "./check: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./check)",
    "./check: symbol lookup error: ./check: undefined symbol: foo",
    "dyld[123]: Library not loaded: @rpath/libfoo.dylib",
  ],
  Python: [
    '  File "/tmp/g.py", line 2',
    'File "/tmp/g.py", line 2',
    "SyntaxError: invalid syntax",
    "ModuleNotFoundError: No module named 'yaml'",
    "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    "KeyboardInterrupt",
    "KeyError: 'tool_input'",
    "AssertionError",
    "/usr/bin/python3: No module named check",
    "python3.11: can't open file '/tmp/nosuch.py': [Errno 2] No such file or directory",
    "Traceback (most recent call last):",
  ],
  JavaScript: [
    "Error: Cannot find module 'nosuch'",
    "TypeError: Cannot read properties of undefined (reading 'command')",
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'yaml' imported from /x/g.mjs",
    "    at Module._load (node:internal/modules/cjs/loader:1038:27)",
    "node: bad option: --nosuch",
    "Uncaught (in promise) Error: x",
    "(node:123) UnhandledPromiseRejectionWarning: Error: x",
    "npm ERR! missing script: check",
    'error: Module not found "file:///x.ts"',
  ],
  "Perl, Ruby, PHP, Lua, Java, Go, Rust, awk": [
    "Can't locate JSON/XS.pm in @INC (you may need to install the JSON::XS module) (@INC contains: /etc/perl) at g.pl line 3.",
    "BEGIN failed--compilation aborted at g.pl line 3.",
    "syntax error at -e line 1, at EOF",
    "no rules at /opt/g.pl line 12, <STDIN> line 1.",
    "g.rb:1:in `require': cannot load such file -- nosuch (LoadError)",
    "<internal:/usr/lib/ruby/rubygems/core_ext/kernel_require.rb>:85:in 'Kernel#require': cannot load such file -- nosuch (LoadError)",
    "\tfrom g.rb:1:in `<main>'",
    "g.rb:3: syntax error, unexpected end-of-input",
    "PHP Parse error:  syntax error, unexpected end of file in g.php on line 3",
    "PHP Fatal error:  Uncaught Error: Call to undefined function foo()",
    "lua: g.lua:1: unexpected symbol near ')'",
    'Exception in thread "main" java.lang.NullPointerException',
    "java.lang.ClassNotFoundException: Guard",
    "\tat com.example.Guard.main(Guard.java:12)",
    "panic: runtime error: index out of range [1] with length 1",
    "goroutine 1 [running]:",
    "thread 'main' panicked at src/main.rs:2:5:",
    "awk: line 1: missing ) near }",
    "gawk: cmd. line:1: BEGIN{x(}",
  ],
  "programs that a script uses": [
    "cat: nosuch: No such file or directory",
    "grep: Unmatched ( or \\(",
    "sed: -e expression #1, char 2: extra characters after command",
    'jq: error (at <stdin>:1): Cannot index string with string "x"',
    "jq: parse error: Invalid numeric literal at line 1, column 5",
    "curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server",
    "/usr/bin/env: 'python4': No such file or directory",
    "env: python4: No such file or directory",
    "timeout: failed to run command 'nosuch': No such file or directory",
    "./g.sh: ./check: Permission denied",
    "./g.sh: /usr/bin/nosuch: bad interpreter: No such file or directory",
    "fatal: not a git repository (or any of the parent directories): .git",
    "mytool: cannot open rules.json",
    "mytool: unknown option --check",
    "mytool: failed to load the policy",
    "policy-check: error: no rules",
    "open rules.json: permission denied",
    "dial tcp 127.0.0.1:80: connect: connection refused",
    "sudo: a password is required",
  ],
};

/** What hooks that work print beside their work. */
const HARMLESS: readonly string[] = [
  "checking…",
  "Checking 3 files",
  "warning: no rules for this tool",
  "Warning: deprecated option",
  "bash: warning: setlocale: LC_ALL: cannot change locale (en_US.UTF-8)",
  "perl: warning: Setting locale failed.",
  "[guard] allowed",
  "[guard] allowed: ls -la",
  "guard: allowed",
  "guard.sh: allowed ls",
  "guard: checking file 3 of 7",
  "guard: step 3: ok",
  "progress: 50%",
  "  10% [=>        ] 3/30",
  "2026-01-01T12:00:00Z checking",
  "2026-01-01 12:00:00,123 INFO guard: ok",
  "12:30:05 checked",
  "[12:30:05] checked in 3 ms",
  '{"level":"info","msg":"checked","ms":3}',
  '{"level":"debug","errors":0}',
  "INFO: checked",
  "DEBUG checked 3 rules",
  "debug: tool=Bash command=ls",
  "note: 3 rules loaded from /etc/rules.json",
  "0 errors, 2 warnings",
  "errors: 0",
  "No errors found.",
  "Errors found: none",
  "error count: 0",
  "Done in 0.3s.",
  "ok",
  "✔ all good",
  "Loaded 12 rules from .claude/rules.txt",
  "tool: Bash",
  "command: rm -rf build",
  "/home/me/project/src/a.ts",
  "src/a.ts:12:5",
  "src/a.ts:12: const error = 1",
  "(node:123) ExperimentalWarning: Importing JSON modules is an experimental feature",
  "(Use `node --trace-warnings ...` to show where the warning was created)",
  "bash: cannot set terminal process group (-1): Inappropriate ioctl for device",
  "bash: no job control in this shell",
  "stty: 'standard input': Inappropriate ioctl for device",
  "sort: write failed: 'standard output': Broken pipe",
  "ERROR: ld.so: object 'libx.so' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored.",
  "+ jq -r .tool_input.command",
  "++ bash: x",
  "https://example.com:8080/rules: 200",
  "cache: hit",
  "time: 3: checked",
  "Killed 3 old processes",
  "Terminated rules: 2",
  "the command was not found dangerous",
  "  at least 3 rules match",
  "Error handling is on",
  "onError: skip",
  "TypeErrors are ignored by this rule",
  "HL_SDK_OPTION_IGNORED: timeout is not used here",
];

describe("stderr of a hook that exits with 0", () => {
  test.each(Object.entries(COMPLAINTS).flatMap(([who, texts]) => texts.map((text) => [who, text] as const)))(
    "tells of a failure of %s: %s",
    (_who, text) => {
      expect(failureSign(text)).toBe(text.trimEnd());
      expect(failureSign(`checking…\n${text}\ndone`)).toBe(text.trimEnd());
    },
  );

  test.each(HARMLESS)("tells of none: %s", (text) => {
    expect(failureSign(text)).toBeUndefined();
  });

  test("is read from both ends, however long it is", () => {
    const sign = "g.sh: 2: Bad substitution";
    for (const count of [250, 5_000, 100_000]) {
      expect(failureSign(`${sign}\n${"checking\n".repeat(count)}`)).toBe(sign);
      expect(failureSign(`${"checking\n".repeat(count)}${sign}\n`)).toBe(sign);
    }
  });

  test.each(["a", ":", ": ", "/", "a/", " ", "a.b", "a: ", "A", "\t", "1: ", "a::", "at ", "sh: "])(
    "1 MB of %j takes linear time",
    (unit) => {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
      const lines = `${unit.repeat(400)}\n`.repeat(700);
      expect(processorMs(() => void [failureSign(text), failureSign(lines)])).toBeLessThan(5_000);
    },
  );
});
