// Preloaded with --require, with NODE_V8_COVERAGE: at SIGUSR2 writes what was executed since the last time.
const { takeCoverage } = require('node:v8');
process.on('SIGUSR2', takeCoverage);
