// Preloaded with --require: writes the files the process loaded, one a line, to $LOADED_MODULES when it ends.
const { writeFileSync } = require('node:fs');
process.on('exit', () =>
  writeFileSync(process.env.LOADED_MODULES, Object.keys(require.cache).join('\n')),
);
