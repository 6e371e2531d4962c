// Preloaded with --require: at the exit, writes the built-in modules the process loaded to $LOADED_MODULES.
const { writeFileSync } = require('node:fs');

const loadedModules = () =>
  process.moduleLoadList
    .filter((entry) => entry.startsWith('NativeModule '))
    .map((entry) => entry.replace('NativeModule ', 'node:'));
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, loadedModules().join('\n')));
