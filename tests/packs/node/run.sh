# Runs each script of `scripts/` and prints what it printed and its status. What differs between versions of Node, and the lines of
# stacks that are Node's own, are left out. On the machine's Node 20 it makes `run.expected`:
#     bash tests/packs/node/run.sh > tests/packs/node/run.expected
here=$(cd "$(dirname "$0")" && pwd)
rm -rf /tmp/node-case && cp -r "$here/scripts" /tmp/node-case && cd /tmp/node-case || exit 1
export HOME=/root PATH=/usr/bin:/bin LC_ALL=C.UTF-8 TZ=UTC
unset NODE_OPTIONS NO_COLOR FORCE_COLOR TERM

same() {
    sed -E -e '/^ +at .*\(?(node:|native)/d' -e '/^node:[^ ]*$/,/^$/d' -e 's/v20\.[0-9]+\.[0-9]+/v20/g' -e 's/\(node:[0-9]+\)/(node:PID)/' \
        -e 's/duration_ms[: ]+[0-9.]+/duration_ms N/' -e 's/\([0-9.]+ms\)/(Nms)/' -e '/\[eval\]-wrapper/d' \
        -e '/lines matching cause/d' -e '/^ +([A-Za-z. ]+ \()?node:[^ ]+\)?$/d' -e 's/ \{$//'
}

for script in *.js *.mjs *.sh; do
    [ -e "$script" ] || continue
    case $script in *.sh) program=bash ;; *) program=node ;; esac
    "$program" "$script" > /tmp/node-out 2> /tmp/node-err < /dev/null
    status=$?
    printf '=== %s: status %s\n' "$script" "$status"
    same < /tmp/node-out
    printf '%s\n' '--- standard error'
    same < /tmp/node-err
done
