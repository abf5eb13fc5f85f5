/** A protected file, or a folder on the way to one, that is named on a line counts as touched unless it is certain that it is only read. */
import { rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { openHome } from "./home-lab.test-suite.ts";
import { protect } from "./protect.ts";

const FILES = [
  ".local/state/hookloop/trust.json",
  ".config/hookloop/hooks.json",
  ".bashrc",
  "project/.claude/settings.json",
  "project/.git/config",
  "project/.git/hooks/pre-commit",
  "project/hooks/g.sh",
  "project/hooks/lib.py",
  "project/evil/g.sh",
  "project/src/a.ts",
  "project/docs/a.md",
  "project/a",
];
const { base, context } = openHome(FILES, { scripts: ["hooks/g.sh"] });
afterAll(() => rmSync(base, { recursive: true, force: true }));

const asked = (command: string): boolean => protect({ tool: "Bash", input: { command } }, context) !== undefined;
const T = "~/.local/state/hookloop/trust.json";
const C = ".claude/settings.json";

describe("a pattern that can stand for it, in every way a shell writes one", () => {
  test.each([
    "rm .[[:alpha:]]laude/settings.json",
    "rm hook[[:lower:]]/g.sh",
    "rm h[]o]oks/g.sh",
    "shopt -s extglob\ncp a .@(git)/hooks/pre-commit",
    "shopt -s extglob\ncp a @(.git)/hooks/pre-commit",
    "shopt -s extglob\necho x > .@(git)/hooks/pre-commit",
    "shopt -s extglob\nsed -i s/deny/dny/ .@(claude)/settings.json",
    "shopt -s extglob\nrm !(x)/g.sh",
    "shopt -s nocaseglob\nrm .CLAUD?/settings.json",
    "shopt -s globstar\nrm **/g.sh",
  ])("%s", (command) => {
    expect(asked(command)).toBe(true);
  });
});

describe("an argument of code that writes", () => {
  test.each([
    `awk '{print > ARGV[2]}' a ${T}`,
    `awk '{print > ARGV[2]}' a hooks/g.sh`,
    `awk 'BEGIN { f = ARGV[1]; printf "x" > f }' ${C}`,
    `gawk '{ print $1 >> FILENAME }' ${C}`,
    `mawk 'NR==1 { print | ("tee " FILENAME) }' ${C}`,
    `nawk '{print > ARGV[2]}' a ${C}`,
    `original-awk '{print > ARGV[2]}' a ${C}`,
    `busybox awk '{print > ARGV[2]}' a ${C}`,
    `awk -f - a ${C} <<< '{print > ARGV[2]}'`,
    `awk -v f=${C} 'BEGIN { print "x" > f }'`,
    `F=${C} awk 'BEGIN { print "x" > ENVIRON["F"] }'`,
    `perl - ${T} <<< 'open F,">",shift'`,
    `perl - hooks/g.sh <<< 'open F,">",shift'`,
    `python3 - ${T} <<< 'import sys; open(sys.argv[1],"w")'`,
    `python3 - hooks/g.sh <<< 'import sys; open(sys.argv[1],"w").write("")'`,
    `python3 /dev/stdin ${C} <<< 'import sys; open(sys.argv[1],"w")'`,
    `echo 'import sys; open(sys.argv[1],"w")' | python3 - ${C}`,
    `python3 - <<< 'import sys; open(sys.argv[1],"w")' ${C}`,
    `ruby - ${C} <<< 'File.write(ARGV[0], "")'`,
    `node - ${C} <<< 'require("fs").writeFileSync(process.argv[2], "")'`,
    `php -- ${C} <<< '<?php file_put_contents($argv[1], "");'`,
    `lua - ${C} <<< 'io.open(arg[1], "w")'`,
    `python3 -c 'import sys; open(sys.argv[1],"w")' hooks/g.sh`,
    `python3 -c 'import os,sys; os.chdir(sys.argv[1]); open(sys.argv[2],"w")' hooks g.sh`,
    `perl -e 'chdir shift; open F, ">", shift' hooks g.sh`,
    `ls hooks/g.sh | python3 -c 'import sys; open(sys.stdin.read().strip(),"w")'`,
    `echo ${C} | perl -ne 'chomp; open F, ">", $_'`,
    `awk '{print "x" > f}' f=${C} a`,
    `awk '{print "x" > f}' f=.git/hooks/pre-commit a`,
    `awk '{print "x" > $1}' <<< ${C}`,
    `awk -v d=.claude -v e=settings.json 'BEGIN{print "x" >> (d "/" e)}'`,
    `python3 -c 'import sys;open(sys.argv[1].split("=")[1],"w").write("x")' f=${C}`,
    `node -e 'require("fs").writeFileSync(process.argv[1].slice(2),"x")' f=${C}`,
    `perl -se 'open F,">",$f; print F "x"' -- -f=${C}`,
  ])("%s", (line) => expect(asked(line)).toBe(true));
});

describe("commands of editors with an address, a count or a mark before them", () => {
  test.each([
    `echo '1w ${C}' | sed -n -f - a`,
    `echo '$W ${C}' | sed -nf - a`,
    `sed -n -f - a <<< '1,5w hooks/g.sh'`,
    `sed -n --file=- a <<< '/x/w hooks/g.sh'`,
    `sed -n -f /dev/stdin a <<< '1!w${C}'`,
    `sed -n '1w ${C}' a`,
    `sed -n '1W${C}' a`,
    `sed 's/a/b/w ${C}' a`,
    `echo '%w! ${C}' | ex a`,
    `printf '1,$w! ${C}\\nq\\n' | ex -s a`,
    `printf '1W ${C}\\n' | ed -s a`,
    `printf 'w hooks/g.sh\\n' | ed -s a`,
    `printf '1,3w hooks/g.sh\\n' | red a`,
    `ex -sc '%w! hooks/g.sh|q' a`,
    `vim -es '+1,$w! ${C}' +q a`,
    `ed -s a <<< ',w ${C}'`,
  ])("%s", (line) => expect(asked(line)).toBe(true));
});

describe("code that goes to a folder, looks through it, fills it, or puts a name together from it", () => {
  test.each([
    `python3 -c 'import glob; [open(f,"w") for f in glob.glob("hooks/*")]'`,
    `python3 -c 'import glob,os; open(glob.glob(os.path.expanduser("~/.local/state/*/trust.json"))[0],"w")'`,
    `python3 -c 'import glob; open(glob.glob("/*/*/*/.local/state/hook*/tr*")[0],"w")'`,
    `python3 -c 'import shutil; shutil.copy("evil/g.sh","hooks")'`,
    `python3 -c 'import shutil; shutil.copy2("evil/g.sh","hooks/")'`,
    `python3 -c 'import shutil; shutil.copytree("evil","hooks",dirs_exist_ok=True)'`,
    `python3 -c 'import os; os.chdir("hooks"); open("g.sh","w")'`,
    `python3 -c 'from pathlib import Path; (Path("hooks")/"g.sh").write_text("")'`,
    `python3 -c 'import os; open(os.path.join("hooks","g.sh"),"w")'`,
    `python3 -c 'import os; open(os.sep.join(["hooks","g.sh"]),"w")'`,
    `python3 -c 'import os; os.chdir(os.path.expanduser("~/.local/state/hookloop")); open("trust.json","w")'`,
    `python3 -c 'import os; os.chdir(os.path.expanduser("~/.local")); open("state/hookloop/trust.json","w")'`,
    `python3 -c 'import os; os.chmod("hooks", 0)'`,
    `python3 -c 'import zipfile; zipfile.ZipFile("a.zip").extractall("hooks")'`,
    `python3 - <<< 'import os; os.chdir("hooks"); open("g.sh","w")'`,
    `python3 - <<EOF\nimport shutil\nshutil.copy("evil/g.sh", "hooks")\nEOF`,
    `node -e 'fs.cpSync("evil","hooks",{recursive:true})'`,
    `node -e 'process.chdir("hooks"); fs.writeFileSync("g.sh","")'`,
    `node -e 'fs.writeFileSync(path.join("hooks","g.sh"),"")'`,
    "node -e 'const d = `hooks`; fs.writeFileSync(`${d}/g.sh`,``)'",
    `perl -e 'chdir "hooks"; open F, ">", "g.sh"'`,
    `perl -MFile::Copy -e 'copy("evil/g.sh","hooks")'`,
    `perl -e 'open F, ">", join("/", "hooks", "g.sh")'`,
    `ruby -e 'Dir.chdir("hooks") { File.write("g.sh","") }'`,
    `ruby -rfileutils -e 'FileUtils.cp "evil/g.sh", "hooks"'`,
    `php -r 'chdir("hooks"); file_put_contents("g.sh","");'`,
    `lua -e 'io.open("hooks" .. "/" .. "g.sh", "w")'`,
    `Rscript -e 'writeLines("",file.path("hooks","g.sh"))'`,
    `node --eval='fs.writeFileSync("hooks/g.sh","")'`,
    `perl -e'open F,">","hooks/g.sh"'`,
    "python3 -m zipfile -e a.zip hooks",
    "pax -rw a hooks",
    "unheard-of --into hooks",
    `cd src && python3 -c 'import os; os.chdir("../hooks"); open("g.sh","w")'`,
  ])("%s", (line) => expect(asked(line)).toBe(true));
});

describe("options in one word, options of programs that no table has, variables of the shell", () => {
  test.each([
    `shuf -eo${C} x`,
    `shuf -eo hooks/g.sh x`,
    `shuf -eohooks/g.sh x`,
    "shuf -e x --outp=hooks/g.sh",
    "strace -fohooks/g.sh ls",
    "strace -ff -o hooks/g.sh ls",
    "ltrace -Sohooks/g.sh ls",
    "unheard-of -zqxhooks/g.sh",
    "unheard-of hooks/g.sh",
    "unheard-of --to hooks/g.sh",
    "fallocate -p -l 10 hooks/g.sh",
    `fallocate -l 0 ${C}`,
    "setfattr -n user.x -v 1 hooks/g.sh",
    "patchelf --set-rpath x hooks/g.sh",
    `HISTFILE=${C}; history -a`,
    `HISTFILE=${C} history -w`,
    `export HISTFILE=${C}; history -a`,
    `history -w ${C}`,
    `history -a hooks/g.sh`,
    `fc -W ${C}`,
    `tar xf a.tar --transform 's,^,.cla,;s,$,ude/settings.json,'`,
    `tar xf a.tar --xform=s,x,hooks/g.sh,`,
    `tar xf a.tar --xf 's/x/hooks\\/g.sh/'`,
    `tar xf a.tar --transform='s,.*,hooks/g.sh,'`,
    `tar xf a.tar --transform 's,^,hooks/,'`,
    `tar xf a.tar --transform 's|^evil|hooks|'`,
  ])("%s", (line) => expect(asked(line)).toBe(true));
});

describe("rights of a folder above", () => {
  test.each([
    "chmod 000 hooks",
    "chmod 0 hooks",
    "chmod a= .",
    "chmod a= hooks",
    "chmod u-x hooks",
    "chmod a-rwx hooks",
    "chmod =r hooks",
    "chmod 644 hooks",
    "chmod u=rw hooks",
    "chmod -x hooks",
    "chmod -R 000 .",
    "chmod --reference=a hooks",
    "chmod 000 ~/.local/state",
    "chown nobody hooks",
    "setfacl -m u::--- hooks",
    "chmod 000 .git",
    'chmod "$m" hooks',
  ])("%s", (line) => expect(asked(line)).toBe(true));
});

describe("settings that a clone is given stay in it", () => {
  test.each([
    "git clone -c core.hooksPath=x . y",
    "git clone -ccore.hooksPath=x . y",
    "git clone --config core.hooksPath=x . y",
    "git clone --config=core.fsmonitor=./x . y",
    "git clone --conf core.sshCommand=./x . y",
    "git clone -qc core.hooksPath=x . y",
    "git clone -c user.name=a -c core.pager=./x . y",
    "git clone -c CORE.HOOKSPATH=x . y",
    'git clone -c "$x" . y',
    "git -C src clone . y -c filter.x.smudge=./x",
    "git clone --template=x . y",
  ])("%s", (line) => expect(asked(line)).toBe(true));
});

describe("everyday work is not asked about", () => {
  test.each([
    "git clone -c user.name=ada https://example.com/a.git",
    "git clone --depth 1 -b main https://example.com/a.git",
    "git clone https://example.com/a.git b",
    "cat hooks/g.sh",
    "sh hooks/g.sh",
    "./hooks/g.sh < a",
    "./tools/try hooks/g.sh",
    "bash -n hooks/g.sh",
    "shellcheck hooks/g.sh",
    "python3 hooks/lib.py",
    "node --check hooks/g.sh",
    "npx eslint hooks/g.sh",
    "npx prettier --check hooks/g.sh",
    "npx vitest run hooks/g.sh",
    "time hooks/g.sh",
    "git add hooks/g.sh",
    "git diff hooks/g.sh",
    "git log -p -- hooks/g.sh",
    "wc -l hooks/g.sh",
    "diff hooks/g.sh a",
    "file hooks/g.sh",
    "echo '{}' | hooks/g.sh",
    "jq . .claude/settings.json",
    "awk '{print $1}' .claude/settings.json",
    "awk '$3 > 5' a",
    "awk '{ if ($1 > max) max = $1 } END { print max }' hooks/g.sh",
    "awk '{print > \"out\"}' hooks/g.sh",
    "sed -n 1,5p hooks/g.sh",
    "grep -rn x hooks",
    "ls -la hooks .claude .git",
    "python3 -c 'import json; print(json.load(open(\".claude/settings.json\")))'",
    "python3 -c 'import os; print(os.listdir(\"hooks\"))'",
    "python3 -c 'print(1)' > out.txt",
    'python3 -c \'open("out.txt","w").write("x")\'',
    'python3 -c \'import shutil; shutil.copy("a", "docs")\'',
    'python3 -c \'import os; os.chdir("src"); open("b.ts","w")\'',
    'node -e \'fs.writeFileSync(path.join("src","b.ts"),"")\'',
    'node -e \'fs.cpSync("docs","out",{recursive:true})\'',
    "node -e 'console.log(require(\"./package.json\").version)'",
    "python3 - a < docs/a.md",
    "echo '1w out' | sed -n -f - a",
    "sed -i s/a/b/ src/a.ts",
    "chmod 755 hooks",
    "chmod u+x src",
    "chmod +x src/a.ts",
    "chmod 644 docs",
    "chmod 700 .",
    "tar czf a.tgz src",
    "tar xf a.tar --strip-components=1",
    "tar xf a.tar --transform 's,^,out/,'",
    "shuf -n 1 a",
    "strace -f ls",
    "mkdir -p hooks",
    "cp src/a.ts src/b.ts",
    "touch hooks/other.txt",
    "history | tail",
    "npx eslint hooks",
    "pytest hooks",
    "du -sh hooks",
    "tree hooks",
    "npm run hooks",
    "make hooks",
    "docker compose up hooks",
    "unheard-of src",
    "unheard-of .",
    "npm test",
    "npm run build -- --out dist",
  ])("%s", (line) => expect(asked(line)).toBe(false));
});

describe("what is copied to, rewritten, or redirected into by a list", () => {
  test.each([
    "docker cp x:/y hooks/g.sh",
    "podman cp x:/y hooks/g.sh",
    "nerdctl cp x:/y hooks",
    "docker compose cp x:/y hooks/g.sh",
    "logrotate hooks/g.sh",
    "eslint --fix hooks",
    "npx eslint --fix hooks",
    "shfmt -w hooks",
    "black hooks",
    "echo x > $(find hooks -name g.sh)",
    "echo x >> $(git ls-files hooks | head -1)",
    ": > $(ls hooks/*.sh)",
    "> $(git ls-files hooks)",
    "docker run -v $PWD/hooks:/x a",
  ])("%s", (line) => expect(asked(line)).toBe(true));

  test.each([
    "docker cp hooks/g.sh x:/y",
    "docker cp x:/y .",
    "docker cp x:/y src/a.ts",
    "eslint hooks",
    "eslint --fix .",
    "eslint --fix src",
    "shfmt -d hooks",
    "prettier --write .",
    "echo x > $(find src -name a.ts)",
    "echo $(ls hooks) > out.txt",
  ])("not %s", (line) => expect(asked(line)).toBe(false));
});
