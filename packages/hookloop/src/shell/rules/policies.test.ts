import { describe, expect, test } from "vitest";
import { riskHere, rowsOf } from "./spellings.test-suite.ts";

/** Where the same program is judged by what it is pointed at: both sides of each line. */

/** Each row is one rule in one spelling. */
const DENIED = String.raw`
cat /proc/$PPID/environ
rm -rf lib
rm -fr ./docs
rm -Rf src/parts
rm --recursive --force a b
rm -rf notes.txt
rm -rf "$(pwd)/lib"
rm -rf dist src
rm -rf distribution
rm -rf builder/
cd src && rm -rf parts
xargs -a list rm -rf
python -c "import shutil; shutil.rmtree('lib')"
python -c "import shutil; shutil.rmtree(path)"
node -e "require('fs').rmSync('lib', { recursive: true })"
ruby -e "require 'fileutils'; FileUtils.rm_rf('lib')"
python -c "exec('import shutil; shutil.rmtree(x)')"
python -c "eval('__import__(\"os\").system(\"rm -rf /\")')"
find -L /tmp/x -delete
find /tmp/x -follow -delete
find -f /tmp/y -delete
find -files0-from x -delete
find /tmp/x/../y -delete
find /tmp -delete
find /tmp/x lib -delete
find /usr/share -name a -exec rm {} \;
rm -rf \${TMPDIR:-/tmp}
rm -rf $TMPDIR/..
git commit --amend --no-edit
git commit -a --amen
GIT COMMIT --AMEND -m x
GIT CLEAN -XF
GIT PUSH -F origin main
Git Switch -F main
GIT_CONFIG_PARAMETERS="'alias.x=reset --hard'" git x
GIT_CONFIG_PARAMETERS="'alias.x'='!rm -rf /'" git x
GIT_CONFIG_PARAMETERS="'core.sshcommand=./x'" git pull
export GIT_CONFIG_PARAMETERS="'alias.x=clean -fd'"; git x
GIT_PAGER='rm -rf /' git log
git push -f origin refs/tags/v3
git push --force origin v3.1
hg update -C
hg co --clean tip
hg purge
hg strip tip
svn revert -R lib
GIT_EDITOR='git reset --hard' git commit
GIT_EXTERNAL_DIFF='rm -rf ~' git diff
awk 'BEGIN { system("\162\155 -rf /") }'
awk 'BEGIN { "git\x20reset\x20--hard" | getline }'
awk 'BEGIN { print "x" | "rm\t-rf\t/" }'
python -c 'import os; os.system("\x72m -rf /")'
python -c 'import os; os.system("r\u006d -rf /")'
node -e 'require("child_process").execSync("\u{72}m -rf /")'
perl -e 'system("\x{72}m -rf /")'
ruby -e 'system("\162m -rf /")'
python -c "rm -rf /"
perl -e "git reset --hard"
ruby -e "find . -delete"
node --print="rm -rf ~"
pypy3 -c 'import os; os.system("rm -rf /")'
echo a | xargs sh -c '"$@"' _
echo a | xargs -n1 bash -c '$0'
echo a | xargs sh -c 'exec "$1"' _
echo a | xargs parallel
;git reset --hard
|| rm -rf /
(( git reset --hard ))
sh -c '(( rm -rf ~ ))'
command -V rm -rf /
command -pV git clean -fd
bash -n -i -c 'rm -rf /'
bash +n -c 'rm -rf /'
bash -n x.sh; rm -rf /
sudo -s
sudo -u bob -i
sudo su
sudo su - bob
sudo bash
doas sh
su
su - bob
sudo -S ls
sudo -kS ls
sudo --askpass ls
SUDO_ASKPASS=./x sudo ls
cat ~/.ssh/authorized_keys
cat ~/.aws/config
less /etc/passwd
base64 < /etc/passwd
cp /etc/passwd x
tail -n 3 /etc/master.passwd
echo x >> .git/config
tee .git/hooks/pre-push
cp x .git/hooks/
ln -s ../../x .git/hooks/post-merge
echo x > .git/modules/a/hooks/update
echo x >> ~/.gitconfig
echo x > ~/.config/git/config
/tmp/x/git status
/var/tmp/x/rg a
/dev/shm/ls
launchctl unload /System/Library/LaunchDaemons/x.plist
pwsh -c Get-Date
PowerShell.exe -NoProfile -Command ls
powershell -EncodedCommand eAA=
cmd.exe /c type x
CMD /K cd
del x
erase x.txt
DEL.EXE x
Remove-Item x
rd x
`;

const ASKED = String.raw`
rm -rf dist
rm -rf ./build/
rm -rf packages/a/node_modules
rm -rf target .venv __pycache__
rm -rf build/$TARGET
rm -rf coverage/*
rm -rf $TMPDIR/
rm -rf "\${TMPDIR}/"
python -c "import shutil; shutil.rmtree('dist')"
node -e "require('fs').rmSync('build', { recursive: true })"
python -c "import os; os.remove('x')"
git tag -d v2
find . -name "git clean -fd"
docker build --label "rm -rf /" .
find ~/x -name a -exec rm {} \;
git push -f origin my-branch
GIT_PAGER=./x git log
sudo ls
sudo -u bob ls -A
sudo -n ls
sudo sh -c 'ls -S'
sudo bash build.sh
su bob -c ls
cat ~/.ssh/known_hosts
echo x > .husky/pre-push
/data/x/git status
pwsh build.ps1
ri String
powershell -File build.ps1
launchctl unload ~/Library/LaunchAgents/x.plist
`;

/** What stands next to the rules above and does no harm. */
const ALLOWED = String.raw`
rm -r lib
rm -f lib/a.ts
rimraf dist
find /tmp/x -name '*.o' -delete
find -P /var/tmp/x -delete
cd /tmp/x && find . -delete
rm -rf $TMPDIR/x
rm -rf "$TMPDIR"/*
python -c "import shutil; shutil.rmtree('/tmp/x')"
python -c "eval('1 + 1')"
git commit -m "--amend"
git commit --fixup HEAD
GIT LOG -P
git push origin v3.1
hg update
hg status
svn update
find /tmp -name a.log -exec rm {} \;
GIT BRANCH -d x
GIT_CONFIG_PARAMETERS="'alias.s=status'" git s
GIT_CONFIG_PARAMETERS="'core.sshcommand=./x'" git log
GIT_PAGER=cat git log
awk 'BEGIN { print "rm\x20-rf\x20/" }'
awk 'BEGIN { system("echo\040ok") }'
python -c 'print("\x72m -rf /")'
python -c "# rm -rf /"
node -e "// git reset --hard"
node -e "const s = 'find . -delete'"
ruby -e "puts 'rm -rf /'"
echo a | xargs sh -c 'wc "$@"' _
echo a | xargs -n1 bash -c 'echo "$0"'
command -V git clean
command -v shred
bash -n x.sh
bash -nc 'rm -rf /'
sh -n -c 'git reset --hard'
bash -n <<< 'rm -rf /'
bash -n -c '(( git clean -fd ))'
sudo -l
sudo --version
su --help
cat ~/.ssh/id_rsa.pub
cut -d: -f1 /etc/passwd
wc -l /etc/passwd
getent passwd
cat .git/config
ls .git/hooks
git config user.name x
cat ~/.gitconfig
/usr/local/bin/rg a
./ls
cmd
`;

describe("programs that are judged by what they are pointed at", () => {
  test.each(rowsOf(DENIED))("%s is denied", (text) => {
    expect(riskHere(text.replaceAll("\\${", "${"))).toBe("deny");
  });

  test.each(rowsOf(ASKED))("%s is asked about", (text) => {
    expect(riskHere(text.replaceAll("\\${", "${"))).toBe("ask");
  });

  test.each(rowsOf(ALLOWED))("%s is allowed", (text) => {
    expect(riskHere(text)).toBe("allow");
  });
});
