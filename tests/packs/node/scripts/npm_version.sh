# Another version of a package: each kind of step, a file's indentation, and packages that are not there.
export npm_config_update_notifier=false
rm -rf /tmp/versions && mkdir /tmp/versions && cd /tmp/versions || exit
v() { echo "== $*"; npm version "$@" > said 2>&1 < /dev/null; echo "status $?"; grep -v -E 'complete log|debug-0|^npm error *$' said; }
echo '{"name":"p","version":"1.2.3"}' > package.json
for step in patch minor major 2.0.0-rc.1 prerelease '--preid=beta prerelease' prepatch premajor preminor patch 2.0.1 2.0.1 nonsense v3.1.0 \
            '3.1.0 --allow-same-version' 'prerelease --preid alpha' major; do
    # shellcheck disable=SC2086
    v $step
done
cat package.json; echo
printf '{\n    "name": "q",\n    "version": "0.1.0"\n}\n' > package.json
v minor
cat package.json
npm ls nope > said; echo "status $?"; tail -n +2 said
cd / && rm -r /tmp/versions
