#!/usr/bin/env node
// In the syntax of Node 4, so that an old Node can parse this file and report that it is too old.
var numbers = process.versions.node.split('.').map(Number);
var isOld = numbers[0] < 20 || (numbers[0] === 20 && numbers[1] < 19);

function isDebuggerWanted() {
  var options = process.execArgv.concat(process.env.NODE_OPTIONS || '').join('\n');
  return options !== '' && /--inspect(?:-brk|-wait)?(?:[= ]|$)/m.test(options);
}

// On SIGUSR1, which schedulers send before a time limit, Node opens a debugger to every account of the machine, unless
// the program listens for the signal. A debugger opened before this line is closed: at once, and again after the first
// turn of the event loop, in which Node opens it a second time. To load the module takes a start some 3 milliseconds.
process.on('SIGUSR1', function () {});
if (process.features.inspector && !isDebuggerWanted()) {
  var inspector = require('inspector');
  inspector.close();
  setImmediate(() => inspector.close());
}

if (isOld) {
  var needs = 'natter needs Node 20.19 or newer; this is ' + process.version;
  var hint = 'install a newer Node from https://nodejs.org, or with a version manager';
  process.exitCode = 3;
  process.stderr.write(needs + '\n  ' + hint + '\n');
} else {
  require('./start.cjs').start(process.argv.slice(2));
}
