#!/usr/bin/env bash
# Bundles what the page needs of lit-html into one module, from the versions in the lock file. It needs node and npm.
# The result is committed, so that serving and playing need neither.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --silent --no-audit --no-fund
npx esbuild lit-entry.js --bundle --format=esm --minify --legal-comments=none --charset=utf8 --outfile=lit-html.js --log-level=warning
{ echo "lit-html $(node -p "JSON.parse(require('fs').readFileSync('node_modules/lit-html/package.json')).version") (https://lit.dev), bundled in lit-html.js:"; echo; cat node_modules/lit-html/LICENSE; } > LICENSES
