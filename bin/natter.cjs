#!/usr/bin/env node
const words = process.argv.slice(2);
const mayBeReady = /^(?:--help|-h|--version|-V)$/.test(words.at(-1));
if (!mayBeReady || !require('./ready-text.cjs').printReadyText(words)) {
  // What V8 compiled is kept for the next start; from version 22.1 on Node does it by itself. To ask the module that
  // would do it takes Node 20 a millisecond.
  const isOld = process.version.startsWith('v20.');
  const enableCompileCache = isOld ? undefined : require('node:module').enableCompileCache;
  if (enableCompileCache === undefined) require('./compile-cache.cjs').keepCompiled(process);
  else enableCompileCache();
  require('../dist/main.cjs');
}
