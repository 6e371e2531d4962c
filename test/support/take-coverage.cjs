// Preloaded with --require and NODE_V8_COVERAGE: at SIGUSR2, writes the coverage since the last signal.
const { takeCoverage } = require('node:v8');
process.on('SIGUSR2', takeCoverage);
