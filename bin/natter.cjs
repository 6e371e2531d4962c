#!/usr/bin/env node
// Keeps what V8 compiled for the next start; from version 22 on Node does it by itself.
const { enableCompileCache } = require('node:module');

const words = process.argv.slice(2);
const mayBeReady = /^(?:--help|-h|--version|-V)$/.test(words.at(-1));
if (!mayBeReady || !require('./ready-text.cjs').printReadyText(words)) {
  if (enableCompileCache === undefined) require('./compile-cache.cjs').keepCompiled(process);
  else enableCompileCache();
  require('../dist/main.cjs');
}
