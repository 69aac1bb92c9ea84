# npm: scripts, archives, commands of packages.
cd "$(mktemp -d)" && mkdir project tool && cd project || exit 1
export npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false npm_config_cache=/tmp/node-case/cache
run() { "$@"; printf '[%s]\n' "$?"; }
run npm init -y | sed "s,$PWD,DIR," > /dev/null; node -p 'const p = require("./package.json"); [p.name, p.version, p.main, p.scripts.test, p.license]'
cat > package.json <<'J'
{ "name": "project", "version": "1.2.3", "scripts": { "hello": "echo hello", "args": "node -e 'console.log(process.argv.slice(1))'", "pretest": "echo before", "test": "echo testing $npm_package_version $npm_lifecycle_event", "posttest": "echo after", "bad": "exit 3", "tool": "tool x" } }
J
run npm run hello; run npm test; run npm run -s hello; run npm run args -- a 'b c'; run npm run bad 2> /dev/null; run npm run nope 2>&1 | grep -v 'log\|^npm error$'; run npm run; run npm run --if-present nope
(cd ../tool && echo '{"name":"tool","version":"0.1.0","bin":{"tool":"cli.js"},"main":"lib.js"}' > package.json && printf '#!/usr/bin/env node\nconsole.log("tool", process.argv.slice(2));\n' > cli.js && echo 'module.exports = "lib";' > lib.js && npm pack 2> /dev/null)
run npm install ../tool/tool-0.1.0.tgz > /dev/null 2>&1; node -p 'require("tool")'; run npx tool a b; run npm run -s tool; node -p 'require("./package.json").dependencies'; ls node_modules/.bin
run npm uninstall tool > /dev/null 2>&1; ls node_modules 2> /dev/null | wc -l; run npm install ../tool > /dev/null 2>&1; node -p 'require("tool")'; run npm run -s tool
