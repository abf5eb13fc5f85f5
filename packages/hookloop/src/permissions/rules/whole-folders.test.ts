import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import { readRules } from "./read-rules.ts";

/** Deny rules about files, against lines that give a folder to what changes all in it, copy a folder to its name, or change what another command lists. */

let root: string;

beforeAll(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-folders-")));
  root = join(base, "app");
  const files = ["src/a.ts", "src/deep/b.ts", "docs/a.md", "docs/deep/c.md", "pkg/gen/x.ts", "top.txt", ".env", "conf/prod.env", "new.txt"];
  const others = ["../other/src/a.ts", "../other/lib/l.ts", "../up/app/src/a.ts", "other/src/a.ts", "tpl/src/a.ts", "tpl/x", "plain/x"];
  for (const name of [...files, ...others]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "one\n");
  }
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: root, stdio: "ignore" });
  git("init", "-q");
  git("add", "src/a.ts", "docs", "pkg", "top.txt", "conf");
});
afterAll(() => rmSync(dirname(root), { recursive: true, force: true }));

function isDenied(rule: string, command: string): boolean {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule], allow: ["Bash"] } }]);
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: join(root, "home") }).decision === "deny";
}

const denies = (rule: string) => (line: string) => expect([line, isDenied(rule, line)]).toEqual([line, true]);
const passes = (rule: string) => (line: string) => expect([line, isDenied(rule, line)]).toEqual([line, false]);

describe("Edit(src/**) sees formatters and fixers that are given the folder, or one above it", () => {
  test.each([
    "black src",
    "black ./src/",
    "black .",
    'black "$PWD"',
    "prettier --write src",
    "npx prettier --write src",
    "npx --yes prettier@3 -w src",
    "pnpm exec prettier --write src",
    "yarn prettier --write src",
    "prettier --write .",
    "prettier --write 'src/**'",
    "prettier --write 'src/**/*.ts'",
    "eslint --fix src",
    "eslint src --fix",
    "eslint . --fix --ext .ts",
    "eslint --fix",
    "gofmt -w src",
    "gofmt -s -w .",
    "goimports -w src",
    "ruff format src",
    "ruff format",
    "ruff check --fix src",
    "ruff check --fix",
    "uvx ruff format src",
    "python3 -m black src",
    "python3 -m isort src",
    "python3 -m ruff format src",
    "isort src",
    "npx biome check --write src",
    "biome format --write",
    "biome check --apply .",
    "autopep8 -r -i src",
    "yapf -ri src",
    "rubocop -a src",
    "shfmt -w src",
    "stylelint --fix src",
    "oxlint --fix src",
    "dprint fmt",
    "deno fmt src",
    "deno fmt",
    "cargo fmt",
    "go fmt ./...",
    "go fix ./src/...",
    "php-cs-fixer fix src",
    "dart format src",
    "dart fix --apply",
    "mix format",
    "dotnet format",
    "terraform fmt -recursive src",
    "2to3 -w src",
    "codespell -w src",
    "sqlfluff fix src",
    "clang-format -i src",
    "ktlint -F src",
    "npx jscodeshift -t x.js src",
    "ast-grep run -p a -r b -U src",
    "sg -p a -r b --update-all src",
    "fastmod a b src",
    "comby a b -i -d src",
    "cd src && black .",
    "tsc --outDir src",
    "sudo chmod -R 000 src",
    "chmod -R 000 .",
    "chown -R nobody src",
    "setfacl -R -m u:x:r src",
    "find src -exec chmod 000 {} +",
    "find . -exec chmod 000 {} +",
  ])("%s", denies("Edit(src/**)"));

  test.each([
    "black docs",
    "black --check src",
    "prettier --check src",
    "prettier src",
    "eslint src",
    "ruff check src",
    "gofmt -l src",
    "biome check src",
    "chmod -R 000 docs",
    "find docs -exec chmod 000 {} +",
    "deno fmt docs",
    "go vet ./...",
    "cargo build",
  ])("not %s", passes("Edit(src/**)"));

  test.each(["prettier --write .", "npx eslint --fix .", "black ."])(
    "a file that a formatter may leave alone is not meant: %s",
    passes("Edit(.env)"),
  );
  test.each(["prettier --write pkg", "prettier --write ."])("at any depth: %s", denies("Edit(gen/**)"));
});

describe("Edit(src/**) sees where a copy lands", () => {
  test.each([
    "cp -r other/src .",
    "cp -r other/src ./",
    "cp -a ../other/src .",
    'cp -r ../other/src "$PWD"',
    "cp -r ../other/. .",
    "cp -r ../other/* .",
    "cp -rT ../other .",
    "cp -r -t . ../other/src",
    "cp --recursive --target-directory=. ../other/src",
    "cp -r tpl/* .",
    "cp -r ../up/app ..",
    "cp other/src/a.ts src",
    "cp other/src/* src",
    "mv other/src .",
    "mv -t . other/src",
    "mv other/* .",
    "rsync -a ../other/src .",
    "rsync -a ../other/ .",
    "rsync -a other/src/ src/",
    "rsync -a host:/x/src .",
    "scp -r ../other/src .",
    "scp -r host:/x/src .",
    "scp host:x.ts src/",
    "ln -s other/src new-link && ln -sfn x src/a.ts",
    "install other/src/a.ts src",
    "install -t src other/src/a.ts",
    "tar -C src -xf x.tar",
    "tar xf x.tar src",
    "tar xf x.tar --directory src",
    "unzip x.zip -d src",
    "unzip -d src x.zip",
    "unzip x.zip 'src/*'",
    "cd src && cp -r ../other/src/. .",
    "cd docs && cp -r ../other/src ..",
    "rclone copy other/src src",
  ])("%s", denies("Edit(src/**)"));

  test("a link in the place of a folder", () => {
    denies("Edit(gone/**)")("ln -s docs gone");
    denies("Edit(gone/**)")("ln -s ../x/gone .");
    denies("Edit(gone/**)")("cp -rs other gone");
    passes("Edit(gone/**)")("ln -s gone docs2");
  });

  test.each([
    "cp -r plain/x .",
    "cp -r plain/* .",
    "cp -r docs /tmp/backup",
    "cp -r src /tmp/backup",
    "cp -r plain docs",
    "mv plain docs",
    "rsync -a plain/ docs/",
    "ln -s src docs/link",
    "tar -cf x.tar src",
    "unzip x.zip -d docs",
    "cp -r other/src docs",
  ])("not %s", (line) => passes("Edit(./src/**)")(line));
});

describe("what a command lists is what another one changes", () => {
  test.each([
    "find src -name a.ts -delete",
    "find . -name a.ts -delete",
    "find . -name '*.ts' -delete",
    "find . -type f -name 'a.*' -exec rm {} +",
    "find . -name a.ts -exec rm {} \\;",
    "find . -name a.ts -exec sed -i s/a/b/ {} +",
    "find . -name a.ts -exec sh -c 'rm \"$1\"' _ {} \\;",
    "find . -name a.ts -execdir mv {} x \\;",
    "find . -name a.ts -exec chmod 000 {} +",
    "find . -name a.ts | xargs rm",
    "find . -name a.ts -print0 | xargs -0 rm -f",
    "find . -name a.ts | xargs sed -i s/a/b/",
    "find . -name a.ts | xargs -I{} mv {} x",
    "find . -name a.ts | xargs -I{} rm ./{}",
    "find . -name a.ts | head -1 | xargs rm",
    "find . -name a.ts | sort | xargs -n1 truncate -s0",
    "find . -name a.ts | parallel rm",
    'find . -name a.ts | while read -r f; do rm "$f"; done',
    'find . -name a.ts | while read -r f; do echo x > "$f"; done',
    "rm $(find . -name a.ts)",
    "rm `find . -name a.ts`",
    'for f in $(find . -name a.ts); do sed -i s/a/b/ "$f"; done',
    "f=$(find . -name a.ts); rm $f",
    'mapfile -t a < <(find . -name a.ts); rm "${a[@]}"',
    "xargs rm < <(find . -name a.ts)",
    "find . -name a.ts > list; xargs rm < list",
    "find src | xargs rm",
    "cd src; find . -type f | xargs rm",
    "grep -rl one src | xargs sed -i s/one/two/",
    "grep -rl one . | xargs sed -i s/one/two/",
    "grep -rl one | xargs sed -i s/one/two/",
    "grep -rlZ one src | xargs -0 perl -pi -e s/a/b/",
    "grep -lr --include='*.ts' one . | xargs sed -i s/one/two/",
    "grep -L one src/* | xargs rm",
    "sed -i s/one/two/ $(grep -rl one src)",
    "rg -l one | xargs sed -i s/one/two/",
    "rg -l one src | xargs sed -i s/one/two/",
    "rg --files src | xargs rm",
    "rg --files-with-matches one -g '*.ts' | xargs sed -i s/one/two/",
    "ag -l one src | xargs sed -i s/one/two/",
    "fd -e ts | xargs rm",
    "fd a.ts -x rm",
    "fd a.ts . -X sed -i s/a/b/",
    "ls src/a.ts | xargs rm",
    "ls src/* | xargs rm",
    "ls -d src/* | xargs rm -r",
    "cd src && ls | xargs rm",
    "ls -t src | head -1 | xargs -I{} rm src/{}",
    "git ls-files src | xargs rm",
    "git ls-files | xargs sed -i s/one/two/",
    "git ls-files -z '*.ts' | xargs -0 rm",
    "git -C src ls-files | xargs rm",
    "git grep -l one | xargs sed -i s/one/two/",
    "git grep -l one -- src | xargs sed -i s/one/two/",
    "git diff --name-only | xargs prettier --write",
    "git diff --name-only HEAD~1 | xargs rm",
    "git clean -fd src",
    "git clean -fdx",
    "tree -fi src | xargs rm",
    "git checkout -- src",
    "git checkout HEAD src/a.ts",
    "git restore src",
    "git restore --source=HEAD~1 src/",
  ])("%s", denies("Edit(src/**)"));

  test.each([
    "find docs -name a.md -delete",
    "find . -name '*.md' -delete",
    "find . -name '*.md' | xargs rm",
    "find . -name a.md -exec sed -i s/a/b/ {} +",
    "grep -rl one docs | xargs sed -i s/a/b/",
    "grep -rl --include='*.md' one . | xargs sed -i s/a/b/",
    "git ls-files docs | xargs sed -i s/a/b/",
    "git ls-files '*.md' | xargs sed -i s/a/b/",
    "ls src",
    "ls src | wc -l",
    "find src -name a.ts",
    "find src -name a.ts | head",
    "find src -name a.ts | xargs cat",
    "find src -name a.ts -exec cat {} +",
    "grep -rl one src",
    "grep -rl one src | xargs wc -l",
    "git ls-files src | wc -l",
    "rm docs/a.md; ls src",
    "git clean -n src",
    "git clean -fd docs",
    "git checkout main",
    "git checkout -b src-change",
  ])("not %s", passes("Edit(src/**)"));

  test.each(["rg -l one | xargs sed -i s/a/b/", "git ls-files | xargs sed -i s/a/b/", "fd . | xargs rm", "ls | xargs rm"])(
    "what is not listed is not changed: %s",
    passes("Edit(.env)"),
  );
  test.each([
    "rg -l --hidden one | xargs sed -i s/a/b/",
    "grep -rl one . | xargs sed -i s/a/b/",
    "ls -A | xargs rm",
    "rg -uuu -l one | xargs rm",
  ])("unless it is: %s", denies("Edit(.env)"));

  test.each(["find . -name '*.env' | xargs cat", "find . -name '*.env' -exec cat {} +", "cat $(find . -name 'prod*')"])(
    "reading, at any depth: %s",
    denies("Read(prod.env)"),
  );
});

describe("Edit(src/**) sees what git puts back in the whole work tree, and options that say where output goes", () => {
  test.each([
    "git stash",
    "git stash push",
    "git stash push -m x",
    "git stash pop",
    "git reset --hard",
    "git reset --hard HEAD~1",
    "git checkout -f",
    "GIT_WORK_TREE=src git checkout -f",
    "foo --result-file=src/x",
    "foo --log-file src/x",
    "node --cpu-prof --cpu-prof-dir=src a.js",
    "pytest --junitxml=src/a.xml",
    "jest --coverageDirectory src",
  ])("%s", denies("Edit(src/**)"));

  test.each([
    "git stash list",
    "git stash show",
    "git stash drop",
    "git reset HEAD",
    "git reset --soft HEAD~1",
    "git checkout main",
    "tail -f src/a.ts",
    "grep -w x src/a.ts",
    "node -r src/a.ts x",
    "test -f src/a.ts",
  ])("but not %s", passes("Edit(src/**)"));

  test("what git does not keep stays", () => passes("Edit(new.txt)")("git stash"));

  test.each([
    "dos2unix -O .env",
    "sd -p a b .env",
    "aws s3api put-object --body fileb://.env",
    "aws lambda invoke --payload fileb://.env x",
  ])("Read(.env) sees %s", denies("Read(.env)"));
});

describe("Bash(rm *) sees what compilers' caches, mosh and a recorder start", () => {
  test.each(["ccache rm a", "distcc rm a", "mosh host rm a", "asciinema rec -c 'rm a'", "asciinema rec --command='rm a' x"])(
    "%s",
    denies("Bash(rm *)"),
  );
  test.each(["ccache gcc -c a.c", "asciinema play x"])("but not %s", passes("Bash(rm *)"));
});
