#!/usr/bin/env node
// In the language of Node 4, which reads all of this file before it runs any: an old Node is to say that it is old.
var numbers = process.versions.node.split('.').map(Number);
var isOld = numbers[0] < 20 || (numbers[0] === 20 && numbers[1] < 19);
var words = process.argv.slice(2);
var mayBeReady = /^(?:--help|-h|--version|-V)$/.test(words[words.length - 1]);
if (isOld) {
  var needs = 'natter needs Node 20.19 or newer; this is ' + process.version;
  var hint = 'install a newer Node from https://nodejs.org, or with a version manager';
  process.exitCode = 3;
  process.stderr.write(needs + '\n  ' + hint + '\n');
} else if (!mayBeReady || !require('./ready-text.cjs').printReadyText(words)) {
  require('./compile-cache.cjs').keepCompiled(process);
  require('../dist/main.cjs');
}
