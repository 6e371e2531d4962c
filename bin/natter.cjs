#!/usr/bin/env node
// In the syntax of Node 4, so that an old Node can parse this file and report that it is too old.
var numbers = process.versions.node.split('.').map(Number);
var isOld = numbers[0] < 20 || (numbers[0] === 20 && numbers[1] < 19);

function isDebuggerWanted() {
  var options = process.execArgv.concat(process.env.NODE_OPTIONS || '').join('\n');
  return options !== '' && /--inspect(?:-brk|-wait)?(?:[= ]|$)/m.test(options);
}

// On SIGUSR1, which schedulers send before a time limit, Node opens a debugger to every account of the machine, unless
// the program listens. One that is open is closed, and again after the first turn of the event loop: Node opens it twice.
process.on('SIGUSR1', function () {});
if (process.features.inspector && !isDebuggerWanted()) {
  var inspector = require('inspector');
  inspector.close();
  setImmediate(inspector.close.bind(inspector));
}

if (isOld) {
  var needs = 'natter needs Node 20.19 or newer; this is ' + process.version + '\n';
  process.exitCode = 3;
  process.stderr.write(needs + '  install it from https://nodejs.org or with a version manager\n');
} else {
  require('./start.cjs').start(process.argv.slice(2));
}
