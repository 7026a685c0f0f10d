#!/usr/bin/env bash
# Bundles what the pages need of lit-html and CodeMirror into one module each, from the versions in the lock file. It needs node and npm.
# The results are committed, so that serving and playing need neither.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --silent --no-audit --no-fund
bundle() { npx esbuild "$1-entry.js" --bundle --format=esm --minify --legal-comments=none --charset=utf8 --outfile="$2" --log-level=warning; }
bundle lit lit-html.js
bundle codemirror codemirror.js
version() { node -p "JSON.parse(require('fs').readFileSync('node_modules/$1/package.json')).version"; }
{
  echo "lit-html $(version lit-html) (https://lit.dev), bundled in lit-html.js:"
  echo
  cat node_modules/lit-html/LICENSE
  # What codemirror.js holds: CodeMirror and what it needs, as the lock file lists it.
  for folder in node_modules/@codemirror/* node_modules/@lezer/* node_modules/@marijn/* node_modules/{crelt,marked,style-mod,w3c-keyname}; do
    [ -d "$folder" ] || continue
    name=${folder#node_modules/}
    license=$(find "$folder" -maxdepth 1 -iname 'license*' | head -1)
    echo
    echo "$name $(version "$name"), bundled in codemirror.js:"
    echo
    cat "$license"
  done
} > LICENSES
