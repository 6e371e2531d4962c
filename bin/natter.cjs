#!/usr/bin/env node
// In the syntax of Node 4, so that an old Node can parse this file and report that it is too old.
var numbers = process.versions.node.split('.').map(Number);
var isOld = numbers[0] < 20 || (numbers[0] === 20 && numbers[1] < 19);
var words = process.argv.slice(2);
var last = words[words.length - 1];
var mayBeReady = words[0] === 'help' || ['--help', '-h', '--version', '-V'].indexOf(last) !== -1;

function closeDebugger() {
  process._debugEnd();
}

function isDebuggerWanted() {
  var options = process.execArgv.concat(process.env.NODE_OPTIONS || '').join('\n');
  return options !== '' && /--inspect(?:-brk|-wait)?(?:[= ]|$)/m.test(options);
}

// As require of a file beside this one, for which Node would first look for the package.
function loadBeside(name) {
  var path = require('path').join(__dirname, name);
  var source = require('fs').readFileSync(path, 'utf8');
  var opening = '(function (exports, require, module, __filename, __dirname) { ';
  var loaded = { exports: {} };
  var run = require('vm').runInThisContext(opening + source + '\n})', path);
  run.call(loaded.exports, loaded.exports, require, loaded, path, __dirname);
  return loaded.exports;
}

// On SIGUSR1, which schedulers send before a time limit, Node opens a debugger to every account of the machine, unless
// the program listens for the signal. A debugger opened before this line is closed: at once, and, if natter continues
// after the ready texts, again after the first turn of the event loop, in which Node opens it a second time.
process.on('SIGUSR1', function () {});
var isDebuggerRefused = process._debugEnd !== undefined && !isDebuggerWanted();
if (isDebuggerRefused) closeDebugger();

if (isOld) {
  var needs = 'natter needs Node 20.19 or newer; this is ' + process.version;
  var hint = 'install a newer Node from https://nodejs.org, or with a version manager';
  process.exitCode = 3;
  process.stderr.write(needs + '\n  ' + hint + '\n');
} else if (!mayBeReady || !loadBeside('ready-text.cjs').printReadyText(words)) {
  if (isDebuggerRefused) setImmediate(closeDebugger);
  try {
    loadBeside('compile-cache.cjs').loadProgram(process);
  } catch (error) {
    if (!loadBeside('missing-build.cjs').reportMissingBuild()) throw error;
  }
}
