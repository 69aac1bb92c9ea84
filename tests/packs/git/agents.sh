# What coding agents type at git, in the forms they use. Run in an empty directory.
export HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8 TZ=CET-1CEST,M3.5.0,M10.5.0/3 TERM=dumb
mkdir home
umask 022
moment=1700000000

run() {
    moment=$((moment + 60))
    export GIT_AUTHOR_DATE="$moment +0100" GIT_COMMITTER_DATE="$moment +0100"
    printf '$ %s\n' "$1"
    eval "$1" 2>&1 </dev/null
    local status=$?
    [ $status = 0 ] || printf 'status %s\n' "$status"
}

run 'git config --global user.email agent@example.com && git config --global user.name "An Agent" && git config --global init.defaultBranch main'
run 'git init -q repo; cd repo; mkdir -p src/lib tests docs; for i in 1 2 3 4 5; do printf "def f%s(x):\n    return x + %s\n\n\n" $i $i > src/lib/m$i.py; done; echo "# Title" > README.md; printf "*.pyc\n__pycache__/\nbuild/\n" > .gitignore'
run 'git add -A && git commit -q -m "Initial commit" && git log --oneline'
run 'git status'
run 'git status --porcelain; git status -sb; git status --porcelain=v2 --branch'
run 'sed -i "s/return x + 3/return x * 3/" src/lib/m3.py; printf "import m1\n" > tests/test_m1.py; git diff'
run 'git add -A && git diff --cached'
run 'git diff --cached --stat; git diff --cached --name-only; git diff --cached --name-status; git diff HEAD --shortstat'
run 'git diff --no-color -U0 HEAD; git diff -w --ignore-blank-lines HEAD -- src'
run 'git --no-pager diff HEAD -- tests/test_m1.py | cat'
run 'git reset -q HEAD tests; git status --short; git restore --staged .; git status -s'
run 'git stash; git status -s; git stash list; git stash show -p stash@{0}; git stash pop'
run 'git stash -u -m "with new files"; ls tests; git stash list; git stash apply; git stash drop'
run 'git checkout -- src/lib/m3.py; git status -s; git checkout HEAD~0 -- README.md; git restore tests 2>&1; git clean -fd'
run 'git checkout -b fix/issue-12; printf "def f1(x):\n    if x is None:\n        raise ValueError(\"x\")\n    return x + 1\n" > src/lib/m1.py; git commit -am "Fix: check for None"'
run 'git log -1 --stat; git log -1 -p --format="%H%n%an <%ae>%n%ad%n%s"; git show --name-only --format=%h; git show HEAD:src/lib/m1.py | head -2'
run 'git log --oneline -5 -- src/lib/m1.py; git log --all --graph --oneline --decorate; git log -S"is None" --oneline; git log -G"raise" --oneline --name-only; git log --grep=Fix --format=%s'
run 'git blame -s src/lib/m1.py; git blame -L 2,3 --date=short src/lib/m1.py; git log -L1,3:src/lib/m1.py --oneline'
run 'git diff main...HEAD --stat; git diff main..HEAD -- src | head -20; git rev-parse --abbrev-ref HEAD; git branch --show-current; git branch -a -vv; git merge-base main HEAD'
run 'git checkout main; git merge --no-ff fix/issue-12 -m "Merge the fix"; git log --oneline --graph; git branch -d fix/issue-12'
run 'git checkout -q -b one; sed -i 1s/f2/g2/ src/lib/m2.py; git commit -qam One; git checkout -q main; sed -i 1s/f2/h2/ src/lib/m2.py; git commit -qam Two; git merge one; git status; git diff; git diff --name-only --diff-filter=U'
run 'git checkout --theirs src/lib/m2.py; git add src/lib/m2.py; git commit --no-edit; git show --stat --format=%P; git show -m --first-parent --format=%s'
run 'git revert --no-edit -m 1 HEAD; git cherry-pick --no-commit one; git status -s; git cherry-pick --abort; git reset --hard -q HEAD~1; git log --oneline -2'
run 'git mv src/lib/m5.py src/lib/renamed.py; git diff --cached -M --summary; git commit -qm Rename; git log --follow --oneline src/lib/renamed.py; git diff HEAD~1 --find-renames --stat'
run 'git rm -q --cached docs 2>&1; git rm src/lib/m4.py; git status -s; git reset -q --hard; git ls-files | wc -l; git ls-files --others --exclude-standard; mkdir build; touch build/x a.pyc; git status -s --ignored; git check-ignore -v build/x a.pyc'
run 'git grep -n "return x"; git grep -l f1 -- "*.py"; git grep -c -i DEF; git grep -E -n "f[0-9]\(x\)" -- src | head -3; git grep -w -n --heading x src/lib/m1.py'
run 'git apply --check <<< ""; git diff HEAD~1 HEAD > ../p.diff; git apply -R ../p.diff; git status -s; git apply ../p.diff; git status -s; git apply ../p.diff'
run 'git format-patch -1 --stdout > ../p.mbox; git reset -q --hard HEAD~1; git am -q ../p.mbox; git log -1 --format="%an %s"'
run 'git tag -a v0.1 -m "First"; git describe; git describe --tags --dirty; echo x >> README.md; git describe --tags --dirty; git tag --contains HEAD; git checkout -q .'
run 'git rev-list --count HEAD; git rev-list HEAD --max-count=2 | wc -l; git shortlog -sne HEAD; git cat-file -t HEAD; git cat-file -p HEAD^{tree}; git ls-tree -r --name-only HEAD src'
run 'git config --get user.name; git config --list --show-origin --global | sed "s,$HOME,home,"; git var GIT_AUTHOR_IDENT | cut -d" " -f1-3; git remote -v; git rev-parse --is-inside-work-tree --git-dir --show-prefix'
run 'git commit --allow-empty -q -m "Empty"; git commit --amend -q -m "Amended" --no-verify; git log -1 --format="%s %ad" --date=iso-local; git reflog | head -3; git log --since="2001-01-01" --until="2002-01-01" --oneline; GIT_TEST_DATE_NOW=1800000000 git log --date=relative --format=%ad -1'
run 'git worktree add -q ../wt HEAD~1; git worktree list | sed "s,$PWD/../,,;s,.*/,,"; git -C ../wt status -sb | head -1; git worktree remove ../wt'
run 'printf "a\r\nb\r\n" > crlf.txt; git add crlf.txt; git diff --cached --check; git reset -q; printf "\000\001" > bin; git add bin; git diff --cached --stat; git diff --cached; git commit -qm Bin; rm crlf.txt'
run 'echo "grüße" > "ümlaut ünd space.txt"; git add -A; git status -s; git -c core.quotepath=off status -s; git commit -qm "Ümlaut"; git log -1 --format=%s; git diff --color=always HEAD~1 --stat | cat -v'
run 'git diff --word-diff=color HEAD~1 -- README.md; git diff --color-words HEAD~3 -- src | cat -v | head; sed -i s/Title/Heading/ README.md; git diff --word-diff; git diff --color=always | cat -v; git diff --stat --color=never; git diff --numstat --summary; git diff --dirstat; git diff --raw'
run 'git add -p <<< q; printf "y\n" | git add -p > /dev/null; git status -s; git commit -q -m "Heading" -m "Body of it"; git log -1 --format=%B'
run 'git bisect start -q HEAD HEAD~4 2>/dev/null; git bisect run true | tail -1; git bisect reset -q 2>/dev/null; git status -sb'
run 'git gc -q; git fsck; git count-objects -v | grep -E "^(count|in-pack|packs)"; git stash list; git clone -q . ../copy; git -C ../copy log -1 --format=%s; cd ../copy; git pull; git push; git fetch --all; git remote show origin | sed "s,/.*,,"'
run 'git checkout nonexistent; git checkout -- missing.txt; git show missing; git diff nowhere; git commit -m nothing; git merge nowhere; git rebase nowhere; git branch -d main; git push nowhere main; git clone /nowhere'
run 'git clone https://example.invalid/a/b.git; git ls-remote http://name:secret@example.invalid/a/; git fetch ftp://example.invalid; git push https://example.invalid/x main; git remote-https'
run 'git grep --threads=4 -c "return x" -- src | head -2; git -c pack.threads=4 -c grep.threads=2 repack -adfq --threads=3; git index-pack --threads=2 $(ls .git/objects/pack/*.pack | head -1) | wc -c'
run 'printf "*.u16 working-tree-encoding=UTF-16\n*.u32 working-tree-encoding=UTF-32\n" > .gitattributes; printf "\376\377\0g\0\374" > a.u16; printf "\377\376\0\0g\0\0\0" > a.u32; git add .; git cat-file -p :a.u16; git cat-file -p :a.u32; rm a.u*; git checkout -q a.u16 a.u32; od -An -tx1 a.u16 a.u32; git --html-path'
run 'git stash -q -u; git subtree split -q --prefix=src -b only-src; git log --oneline only-src | head -3; git init -q ../other; git -C ../other commit -q --allow-empty -m Other; git subtree -q add --prefix=vendor ../other HEAD 2>&1; git log --oneline -2'
