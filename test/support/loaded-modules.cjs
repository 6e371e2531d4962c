// Preloaded with --require: writes the files and Node's own modules the process loaded, one a line, to $LOADED_MODULES when it ends.
const { writeFileSync } = require('node:fs');
const builtins = () =>
  process.moduleLoadList
    .filter((entry) => entry.startsWith('NativeModule '))
    .map((entry) => entry.replace('NativeModule ', 'node:'));
process.on('exit', () =>
  writeFileSync(
    process.env.LOADED_MODULES,
    [...Object.keys(require.cache), ...builtins()].join('\n'),
  ),
);
