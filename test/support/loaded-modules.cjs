// Preloaded with --require: at the exit, writes the files and built-in modules the process loaded to $LOADED_MODULES.
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
