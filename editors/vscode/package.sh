#!/bin/sh
# Builds the extension and packs it: dist/fizzle.vsix. Needs node 20 or later and the npm registry.
set -eu
cd "$(dirname "$0")"
npm ci
node --check extension.js
cat ../../LICENSE-MIT ../../LICENSE-APACHE > LICENSE.txt
mkdir -p dist
npx vsce package --allow-missing-repository --out dist/fizzle.vsix
rm LICENSE.txt
