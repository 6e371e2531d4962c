// The main script of the single executable (docs/decisions/0013-single-executable.md). It loads the published files of
// natter from the executable, with compiled code that the build made with the same Node.
const fs = require('node:fs');
const { basename, dirname, join, relative } = require('node:path');
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

/** The folder of the package, as natter sees it: no file can be below the executable. */
const root = process.execPath;
/** As in bin/compile-cache.cjs: V8 accepts compiled code only for the same text. */
const head = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'];
const loaded = new Map();

/** The bytes of an embedded file; undefined if there is none. */
function embedded(name) {
  try {
    return Buffer.from(getRawAsset(name));
  } catch (error) {
    if (error.code === 'ERR_SINGLE_EXECUTABLE_APPLICATION_ASSET_NOT_FOUND') return undefined;
    throw error;
  }
}

const nameOf = (path) => relative(root, path).replaceAll('\\', '/');

function readEmbedded(path, encoding) {
  const bytes = embedded(nameOf(path));
  if (bytes === undefined) {
    throw Object.assign(new Error(`no such file in the executable: ${path}`), { code: 'ENOENT' });
  }
  return encoding === undefined ? bytes : bytes.toString(encoding);
}

/** For the files that read others of the package: help texts, command data, WebAssembly. */
const embeddedFiles = Object.create(fs, {
  readFileSync: {
    value: (path, options) =>
      String(path).startsWith(root) ? readEmbedded(path, options) : fs.readFileSync(path, options),
  },
});
const readers = new Set(['bin/natter.cjs', 'dist/main.cjs', 'dist/screen.cjs']);

function compile(path, name) {
  const text = readEmbedded(path, 'latin1').replace(/^#!/, '//');
  const script = new Script(head.join(text), {
    filename: path,
    columnOffset: -head[0].length,
    cachedData: embedded(`compiled/${basename(name)}`),
  });
  return script.runInThisContext();
}

function load(path) {
  const name = nameOf(path);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  if (name.endsWith('.json')) module.exports = JSON.parse(readEmbedded(path, 'utf8'));
  else {
    const requireFrom = (id) => {
      if (id.startsWith('.')) return load(join(dirname(path), id));
      return readers.has(name) && /^(?:node:)?fs$/.test(id) ? embeddedFiles : require(id);
    };
    compile(path, name).call(
      module.exports,
      module.exports,
      requireFrom,
      module,
      path,
      dirname(path),
    );
  }
  return module.exports;
}

load(join(root, 'bin/natter.cjs'));
