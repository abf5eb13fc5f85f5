import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { readCommand } from "../read-command.ts";
import { UNKNOWN } from "../types.ts";
import { mentionedPaths } from "./mentioned-paths.ts";
import { touchedPaths } from "./touched-paths.ts";

const context = { cwd: "/w", home: "/home/u" };

/** `how path`, patterns as `folder + pattern`, in the order in which they are found. */
function touched(command: string): readonly string[] {
  return touchedPaths(readCommand(command), context).map(({ how, path, pattern, tail, isRecursive, ifFolder }) => {
    const place = path === undefined ? `?${tail === undefined ? "" : `/${tail}`}` : pattern === undefined ? path : `${path} + ${pattern}`;
    return `${how} ${place.replaceAll(UNKNOWN, "?")}${isRecursive ? " …" : ""}${ifFolder ? " if folder" : ""}`;
  });
}

describe("how a word names a path", () => {
  test.each([
    ["rm a", ["delete /w/a"]],
    ["rm ./a", ["delete /w/./a"]],
    ["rm /x/../y", ["delete /x/../y"]],
    ["rm ~/a", ["delete /home/u/a"]],
    ["rm '~/a'", ["delete /w/~/a"]],
    ["rm $HOME/a", ["delete /home/u/a"]],
    ['rm "${HOME}/a"', ["delete /home/u/a"]],
    ["rm $PWD/a", ["delete /w/a"]],
    ["rm ~other/a", ["delete ?/a"]],
    ["rm $X/a/b", ["delete ?/a/b"]],
    ["rm $X", ["delete ?"]],
    ["rm a$X", ["delete /w + a?"]],
    ["rm /etc/*", ["delete /etc + *"]],
    ["rm /etc/a*/b", ["delete /etc + a*/b"]],
    ["rm *.log", ["delete /w + *.log"]],
    ["rm {a,b}/c", ["delete /w/a/c", "delete /w/b/c"]],
    ["x=a; rm $x", ["delete /w/a"]],
    ["rm ''", []],
    ["cd sub && rm a", ["delete /w/sub/a"]],
    ["cd ~/x && rm a", ["delete /home/u/x/a"]],
    ["cd $X && rm a /b", ["delete ?/a", "delete /b"]],
    ["(cd sub && rm a); rm a", ["delete /w/sub/a", "delete /w/a"]],
    ["(cd sub; rm a)", ["delete /w/sub/a", "delete /w/a"]],
    ["r\\m 'a b'", ["delete /w/a b"]],
    ["sudo rm a", ["delete /w/a"]],
    ["bash -c 'rm a'", ["delete /w/a"]],
  ])("%s", (command, expected) => {
    expect(touched(command).filter((line) => !line.startsWith("read"))).toEqual(expected);
  });
});

describe("what programs do to their operands", () => {
  test.each([
    ["rm -rf a b", ["delete /w/a …", "delete /w/b …"]],
    ["rm -- -a", ["delete /w/-a"]],
    ["unlink a", ["delete /w/a"]],
    ["shred -n 3 a", ["write /w/a"]],
    ["shred -u a", ["delete /w/a"]],
    ["mv a b", ["rename /w/a …", "write /w/b …", "write /w/b/a … if folder"]],
    [
      "mv a b c/",
      ["rename /w/a …", "rename /w/b …", "write /w/c/ …", "write /w/c//a … if folder", "write /w/c/ …", "write /w/c//b … if folder"],
    ],
    ["mv -t d a", ["rename /w/a …", "write /w/d/a …"]],
    ["cp a b", ["read /w/a", "write /w/b", "write /w/b/a if folder"]],
    ["cp -r a b", ["read /w/a …", "write /w/b …", "write /w/b/a … if folder"]],
    ["install -m 755 a b", ["read /w/a", "write /w/b", "write /w/b/a if folder"]],
    ["install -d a b", ["create-folder /w/a", "create-folder /w/b"]],
    ["ln -s a b", ["read /w/a", "create-link /w/b", "create-link /w/b/a if folder"]],
    ["ln -s /x/a", ["read /x/a", "create-link /w/a"]],
    ["touch -d now a", ["write /w/a"]],
    ["tee -a a b", ["write /w/a", "write /w/b"]],
    ["truncate -s 0 a", ["write /w/a"]],
    ["dd if=a of=b bs=1", ["read /w/a", "write /w/b"]],
    ["sed -i s/a/b/ x y", ["write /w/x", "write /w/y"]],
    ["sed -i.bak -e s/a/b/ x", ["write /w/x"]],
    ["sed -i '' s/a/b/ x", ["write /w/x"]],
    ["sed -n 1p x", ["read /w/x"]],
    ["perl -pi -e s/a/b/ x", ["write /w/x"]],
    ["perl -ne print x", ["read /w/x"]],
    ["gawk -i inplace '{print}' x", ["write /w/x"]],
    ["awk '{print}' x", ["read /w/x"]],
    ["chmod -R 755 a", ["permissions /w/a …"]],
    ["chown root:root a", ["permissions /w/a"]],
    ["setfacl -m u:x:rw a", ["permissions /w/a"]],
    ["mkdir -p -m 700 a/b", ["create-folder /w/a/b"]],
    ["rsync -a --delete a/ b", ["read /w/a/ …", "write /w/b …", "write /w/b/a … if folder", "delete /w/b …"]],
    ["rsync -a a host:/b", ["read /w/a …"]],
    ["tar -xf a.tar -C d", ["read /w/a.tar", "write /w/d …"]],
    ["tar xzf a.tgz x/y", ["read /w/a.tgz", "write /w/x/y …"]],
    ["tar -xf a.tar", ["read /w/a.tar", "write /w …"]],
    ["tar czf a.tgz x", ["write /w/a.tgz", "read /w/x …"]],
    ["tar tf a.tar", ["read /w/a.tar"]],
    ["unzip a.zip -d d", ["read /w/a.zip", "write /w/d …"]],
    ["unzip -l a.zip", ["read /w/a.zip"]],
    ["git checkout HEAD -- a b", ["write /w/HEAD …", "write /w/a …", "write /w/b …"]],
    ["git -C sub restore a", ["write /w/sub/a …"]],
    ["git restore --staged a", []],
    ["git clean -fd", ["delete /w …"]],
    ["git clean -n", []],
    ["git rm -r a", ["delete /w/a …"]],
    ["git rm --cached a", []],
    ["git mv a b", ["rename /w/a …", "write /w/b …", "write /w/b/a … if folder"]],
    ["git add a", ["read /w/a"]],
    ["git apply a.patch", ["write /w …"]],
    ["patch -p1 < a.patch", ["read /w/a.patch", "write /w …"]],
    ["patch a b.patch", ["write /w/a"]],
    ["sponge a", ["write /w/a"]],
    ["vim -c wq a", ["write /w/a", "read /w/a"]],
    ["find a -name x -delete", ["read /w/a …", "delete /w/a …"]],
    ["find a -exec echo -delete +", ["read /w/a …"]],
    ["find a -exec echo -delete \\; -print", ["read /w/a …"]],
    ["find a -name -delete -print", ["read /w/a …"]],
    ["find a -exec echo {} + -delete", ["read /w/a …", "delete /w/a …"]],
    ["curl -o a https://h/x", ["write /w/a"]],
    ["curl -sSLo a https://h/x", ["write /w/a"]],
    ["curl -O 'https://h/x/y?z'", ["write /w/y"]],
    ["wget https://h/x", ["write /w/x"]],
    ["wget -O a https://h/x", ["write /w/a"]],
    ["sort -o a b", ["read /w/b", "write /w/a"]],
    ["split a p", ["read /w/a", "write /w + p?"]],
    ["cat a", ["read /w/a"]],
    ["grep x a b", ["read /w/a", "read /w/b"]],
    ["grep -e x a", ["read /w/a"]],
    ["grep -qf rules a", ["read /w/rules", "read /w/a"]],
    ["grep --file=rules a", ["read /w/rules", "read /w/a"]],
    ["egrep -frules a", ["read /w/rules", "read /w/a"]],
    ["grep --regexp=x a", ["read /w/a"]],
    ["jq -c . a", ["read /w/a"]],
    ["jq -f filter a", ["read /w/filter", "read /w/a"]],
    ["echo a b", []],
    ["unknown a b", []],
  ])("%s", (command, expected) => {
    expect(touched(command)).toEqual(expected);
  });
});

test.each([
  ["x > a", ["write /w/a"]],
  ["x >> a", ["write /w/a"]],
  ["x >| a", ["write /w/a"]],
  ["x &> a", ["write /w/a"]],
  ["x &>> a", ["write /w/a"]],
  ["x >& a", ["write /w/a"]],
  ["x <> a", ["write /w/a", "read /w/a"]],
  ["x 2> a", ["write /w/a"]],
  ["x 2>&1", []],
  ["x >&-", []],
  ["x < a", ["read /w/a"]],
  ["x <<< a", []],
  ["x <<E\na\nE", []],
  ["> a", ["write /w/a"]],
  ["{ x; y; } > a", ["write /w/a", "write /w/a"]],
  ["if x; then y; fi > a", ["write /w/a", "write /w/a"]],
  ["exec 3> a", ["write /w/a"]],
  ["x > >(tee a)", ["write ?", "write /w/a"]],
])("the redirection in %j", (command, expected) => {
  expect([...new Set(touched(command))]).toEqual([...new Set(expected)]);
});

test("every path says where it stands and which command touches it", () => {
  const text = "cat a && rm 'b c'";
  const found = touchedPaths(readCommand(text), context).find(({ how }) => how === "delete");
  expect(text.slice(found?.span.start, found?.span.end)).toBe("'b c'");
  expect(found?.command).toBe(1);
});

test("paths of unknown programs and of inline code are mentioned, not claimed", () => {
  const mentioned = (command: string): readonly (string | undefined)[] =>
    mentionedPaths(readCommand(command), context).map(({ where, path }) => `${where} ${path}`);
  expect(mentioned("frob --out=x/y ./a b -v")).toEqual(["output /w/x/y", "word /w/./a"]);
  expect(mentioned(`python -c "open('/etc/x.conf').read(); f('a/b')"`)).toEqual(
    expect.arrayContaining(["code /etc/x.conf", "code /w/a/b"]),
  );
  expect(mentioned("python3 - <<'E'\nopen('a/b')\nE")).toContain("code /w/a/b");
  expect(mentioned("cat a")).toEqual([]);
});

test("a link that the line makes hundreds of times still leads on, by each of them", () => {
  const ways = (count: number): number =>
    touchedPaths(readCommand(`${"ln -s .. up;".repeat(count)} echo x > up/notes`), { cwd: "/w/p", home: "/home/user" }).filter(
      ({ path }) => path !== undefined && posix.normalize(path) === "/w/notes",
    ).length;
  expect(ways(1)).toBeGreaterThan(0);
  // The paths that one command has do not grow with the number of links.
  expect(ways(300)).toBe(ways(2));
});
