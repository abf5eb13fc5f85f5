import { describeSpellings } from "./spellings.test-suite.ts";

/** Each row is one rule in one spelling. */
const DENIED = String.raw`
git reset --ha
git reset --merge
git reset HEAD --hard
git --no-pager reset --hard
git -P reset --hard
git --literal-pathspecs reset --hard
git --bare reset --hard
git --no-optional-locks reset --hard
git -C a -C b reset --hard
git -Ca reset --hard
git --git-dir x --work-tree y reset --hard
git --attr-source x reset --hard
git --namespace=x reset --hard
git -c user.name=x reset --hard
git --config-env=a.b=C reset --hard
git clean -f
git clean -ffdx
git clean -d -x --force
git clean --fo
git clean -fe pat
git clean -n --no-dry-run -f
git clean --dry-run --no-dry-run --force
git clean -qf
git clean -Xf
git push --force
git push -fu origin main
git push -uf origin main
git push origin main --force
git push --force-with-lease --force origin main
git push --force-with-lease origin +main
git push --no-force --force origin main
git push --dry-run --no-dry-run --force
git push -n --no-dry-run -f origin main
git push origin HEAD:+main
git push origin +HEAD:main
git push origin '+refs/heads/*:refs/heads/*'
git push --all --force
git push --tags -f
git push --mirror origin
git push -d origin a
git push --del origin a
git push origin :a
git push origin --tags :refs/tags/v1
git send-pack --force origin main
git send-pack origin +main
git send-pack --mirror origin
git http-push --force http://x main
git branch -D x
git branch -d -f x
git branch --delete --force x
git branch -df x
git branch -fd x
git branch -rD origin/x
git branch --del --fo x
git worktree remove --force x
git worktree remove -f x
git worktree remove -ff x
git worktree remove x --force
git stash drop
git stash clear
git stash drop stash@{1}
git stash drop -q
git switch -f main
git switch --discard-changes main
git switch -fc x
git switch -qf main
git switch --disc main
git checkout -f
git checkout -qf main
git checkout --force
git checkout main -f
git checkout main -- .
git checkout -- '*.py'
git checkout -p
git checkout --patch main
git checkout main .
git checkout ./src
git checkout :/
git checkout ':(top)'
git checkout HEAD~1 -- a b
git checkout stash@{0} a.txt
git checkout --ours a.txt
git checkout --theirs .
git checkout --no-overlay main src
git checkout --overlay main src
git checkout -m main a.txt
git checkout --pathspec-from-file=p
git checkout --pathspec-from-file p
git checkout --pathspec-from-file=- --pathspec-file-nul
git checkout --pathspec-fr=p
git checkout --conflict=diff3 main a
git checkout --conflict merge main a
git checkout @ a.txt
git checkout HEAD^ a.txt
git checkout abc123 a.txt
git checkout origin/main a.txt
git checkout v1.0 src/a.ts
git checkout $REF -- a
git checkout -- a -f
git checkout -fB x origin/x
git checkout --orphan x -f
git restore a
git restore :/
git restore --source=HEAD~1 a
git restore -s HEAD~1 a
git restore -sHEAD~1 a
git restore -W a
git restore -SW a
git restore -WS a
git restore --staged --worktree .
git restore --worktree --staged a
git restore -p
git restore --patch
git restore --overlay a
git restore --no-overlay a
git restore --merge a
git restore --ignore-unmerged a
git restore -q a
git restore --recurse-submodules a
git restore --progress a
git filter-branch -f
git filter-repo --path x
git reflog expire --all
git reflog delete HEAD@{1}
git gc --prune=now
git gc --prune=all --aggressive
git -c gc.pruneExpire=now gc
git -c gc.reflogExpire=now gc
git prune
git prune --expire=now
git update-ref -d refs/heads/x
git update-ref --stdin
git rm -f a
git rm -rf src
git read-tree --reset -u HEAD
git checkout-index -f -a
git checkout-index -af
git submodule deinit -f x
git submodule deinit --all --force
git submodule update --force
git submodule foreach git reset --hard
git submodule foreach --recursive git clean -fdx
git submodule --quiet foreach 'git checkout .'
git submodule foreach 'rm -rf /'
git bisect run rm -rf /
git bisect run git reset --hard
git rebase -x 'git reset --hard' main
git rebase --exec='rm -rf /' main
git rebase -i --exec 'rm -rf ~' main
git difftool -x 'rm -rf /' HEAD
git difftool --extcmd='git reset --hard' HEAD
git difftool -y --extcmd 'rm -rf /'
git config alias.x '!rm -rf /'
git -c alias.z='reset --hard' z
git -c alias.z='!git reset --hard' z
git -c alias.a=b -c alias.b='reset --hard' a
git -c ALIAS.z='reset --hard' z
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0='reset --hard' git z
git -c core.sshCommand='rm -rf /' fetch
GIT_SSH_COMMAND='x' git pull
GIT_SSH_COMMAND=x git ls-remote
GIT_SSH_COMMAND=x git clone a
GIT_SSH_COMMAND=x git submodule update
GIT_PROXY_COMMAND=x git fetch
GIT_ASKPASS=x git push
env GIT_SSH=x git fetch
export GIT_SSH=x; git fetch
git -c protocol.ext.allow=always clone ext::x
git clone -c core.sshCommand=x a
git clone --config core.sshCommand=x a
git clone --upload-pack=x a
git clone -u x a
git fetch --upload-pack=x origin
git push --receive-pack=x origin
git push --exec=x origin
git ls-remote --upload-pack=x a
git pull --upload-pack x origin
git archive --remote=x --exec=y HEAD
gi\t reset --hard
'git' 'reset' '--hard'
g""it reset --hard
git res''et --hard
/usr/local/bin/git reset --hard
~/bin/git reset --hard
./git reset --hard
hub reset --hard
git-reset --hard
/usr/lib/git-core/git-reset --hard
git-clean -fd
git-push --force
`;

const NOT_ALLOWED = `
git reset --soft --hard
git branch -f main HEAD~3
git branch -M new
git checkout $A $B
git checkout a.txt
git checkout README.md
git checkout Makefile Cargo.toml
git merge --abort
git cherry-pick --abort
git am --abort
git revert --abort
git rebase --skip
git rebase --quit
git update-ref refs/heads/main abc
git bisect run sh -c 'make test'
git fetch -f origin main:main
git fetch --force origin main:main
git fetch origin +main:main
git config --global core.hooksPath /tmp/x
git --config-env=alias.z=Z z
GIT_CONFIG_PARAMETERS="'alias.z=!rm -rf /'" git z
`;

/** What stands beside the dangerous and is daily work. */
const ALLOWED = `
git reset --hard --soft HEAD~1
git reset --keep HEAD~1
git clean -f --dry-run
git clean -e f
git clean -e -f
git clean --help
git push -n -f
git push --dry-run --force
git push --mirror --no-mirror origin main
git push origin :
git push origin HEAD
git push --tags
git push --no-verify=no
git push -o ci.skip origin main
git branch -d x
git branch -d --force --no-force x
git branch -m new
git branch -u origin/x
git worktree remove --force --no-force x
git worktree add ../x
git worktree add -b x ../x
git worktree list
git stash show -p
git stash apply
git stash push -m drop
git stash branch drop
git switch --discard-changes --no-discard-changes main
git switch -c f
git switch -cf
git switch --create=f
git switch --detach HEAD
git checkout --force --no-force main
git checkout -
git checkout -bf
git checkout -B x
git checkout --track origin/x
git checkout --guess main
git checkout -l main
git checkout main --
git checkout v1.2.3
git checkout 1.2.x
git restore -S a
git restore --stage a
git restore --source HEAD --staged a
git restore --worktree --no-worktree --staged a
git restore
git rebase --continue
git reflog show
git gc
git gc --prune=2.weeks.ago
git rm --cached a
git rm a
git rm -rf --cached .
git submodule update --init --recursive
git bisect reset
git fetch origin +refs/heads/*:refs/remotes/origin/*
git fetch -p
git config user.name x
git config --get alias.x
git config pull.rebase true
git -c http.postBuffer=100 push
git -c protocol.version=2 fetch
git clone --depth 1 -b main https://x/a b
git commit -am "rm -rf /"
git log --grep='reset --hard'
git tag -a v1 -m 'x'
git remote -v
git merge main
git merge --no-ff x
git revert HEAD
git rebase --onto a b c
git blame a
git apply x.patch
git describe --tags
git rev-parse HEAD
git shortlog -sn
git add -f a
git add -A
git cat-file -p x
git sparse-checkout set a
`;

describeSpellings("git", { denied: DENIED, notAllowed: NOT_ALLOWED, allowed: ALLOWED });
