# Repositories that mean harm. Each line says what became of it; the sandbox goes on.
export HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1 LC_ALL=C TZ=UTC
mkdir home; git config --global user.email a@b; git config --global user.name A; git config --global init.defaultBranch main
git config --global protocol.file.allow always
try() {
    name=$1
    shift
    ulimit -v 1500000
    timeout 20 bash -c "$*" > out 2>&1
    status=$?
    [ $status -gt 1 ] && [ $status != 128 ] && [ $status != 129 ] || status=ended
    echo "$name: $status"
}

# A hook that never ends, and one that fills its output.
git init -q hooks; cd hooks; git commit -q --allow-empty -m one
printf '#!/bin/sh\nwhile :; do :; done\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
try 'endless hook' 'timeout 2 git commit --allow-empty -m two'
printf '#!/bin/sh\nyes | head -c 50000000; exit 1\n' > .git/hooks/pre-commit
try 'loud hook' 'git commit --allow-empty -m two | tail -c 10'
rm .git/hooks/pre-commit

# Configuration that runs programs: they run here, and only here.
git config core.fsmonitor 'touch /tmp/ran-fsmonitor; echo'
git config core.pager 'touch /tmp/ran-pager; cat'
git config alias.x '!touch /tmp/ran-alias'
try 'fsmonitor' 'git status'
try 'alias' 'git x'
git config --unset core.fsmonitor; git config --unset core.pager
ls /tmp | grep -c '^ran-' | sed 's/[12]/some/'
git config alias.loop '!git loop'
try 'recursive alias' 'git loop'
git config include.path config
try 'config that includes itself' 'git status'
git config --file .git/config --unset include.path || sed -i '/path = config/d' .git/config
cd ..

# Objects and packs that are not what they say.
git init -q broken; cd broken
echo data > f; git add f; git commit -q -m one
for object in $(find .git/objects -type f); do chmod u+w $object; printf 'x\234garbage' > $object; done
try 'objects of garbage' 'git log; git fsck; git show; git checkout -f HEAD; git gc'
printf 'PACK\0\0\0\2\377\377\377\377' > p; try 'pack of four thousand million' 'git index-pack p'
printf 'PACK\0\0\0\2\0\0\0\1\277\377\377\377\377\377\377\377\177' > p; try 'object of any size' 'git index-pack p; git unpack-objects < p'
head -c 300000 /dev/urandom > .git/index; try 'index of garbage' 'git status; git diff; git add .'
printf 'DIRC\0\0\0\2\377\377\377\377' > .git/index; try 'index of four thousand million' 'git status'
rm .git/index; echo 'ref: refs/heads/../../../../etc/passwd' > .git/HEAD; try 'HEAD that leads out' 'git log; git status; git commit --allow-empty -m x'
echo 'ref: HEAD' > .git/HEAD; try 'HEAD of itself' 'git log; git status'
cd ..

# Names that lead out of the tree, deep trees, a bomb of trees.
git init -q names; cd names
blob=$(echo x | git hash-object -w --stdin)
for name in .git .. . 'a/../../b' .GIT 'git~1'; do
    tree=$(printf "100644 $name\0$(printf '%s' $blob | sed 's/../\\x&/g')" | git hash-object -w -t tree --stdin --literally)
    try "a file called $name" "git read-tree $tree; git checkout-index -a -f; git fsck"
done
ls -a .. | grep -c '^b$'
deep=$(printf "100644 blob $blob\tf\n" | git mktree)
for level in $(seq 400); do deep=$(printf "040000 tree $deep\td\n" | git mktree); done
try 'four hundred folders deep' "git read-tree $deep; git checkout-index -a; git ls-tree -r $deep | wc -c; git archive $deep | wc -c"
bomb=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf "100644 blob $blob\t$n\n"; done | git mktree)
for level in 1 2 3 4 5 6 7 8 9; do bomb=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf "040000 tree $bomb\t$n\n"; done | git mktree); done
try 'ten thousand million files' "git ls-tree -r $bomb"
cd ..

# Patterns.
try 'attributes of any length' 'cd names; head -c 3000000 /dev/zero | tr "\0" "*" > .gitattributes; git check-attr -a f; yes "**/a" | head -100000 > .gitignore; git status'
try 'an expression that explodes' 'cd names; echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa > t; git grep --no-index -E "(a*)*(a*)*(a*)*b" t'
try 'submodule that runs a command' 'cd names; git submodule add -q -- "ext::sh -c touch% /tmp/ran-ext" sub'
try 'option as an address' 'cd names; git clone -q -- --upload-pack=touch\ /tmp/ran-option x; git clone -q "ssh://-oProxyCommand=touch /tmp/ran-ssh/x" y'
ls /tmp | grep -cE '^ran-(ext|option|ssh)'
echo 'on'
