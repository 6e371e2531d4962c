// What `module.enableCompileCache` does from Node 22 on, for Node 20: chunks of the bundle are compiled once, and
// started from what V8 made of them. A file of the cache is a head of numbers, V8's data and the chunk's own text: it
// is taken for that text alone, and V8 refuses data of another version or of other flags.
const { closeSync, fdatasyncSync, mkdirSync, openSync } = require('node:fs');
const { readFileSync, renameSync, unlinkSync, writeSync } = require('node:fs');
const { basename, dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const head = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'];
const headLength = 16;
/** So often is a chunk written: the first run of it may not be the one that most runs are like. */
const mostWrites = 3;

/** By Node's own variables for its cache, else with the caches of the user; undefined for none. */
function cacheFolder({ env, platform, version, arch }) {
  const { NODE_DISABLE_COMPILE_CACHE: off, NODE_COMPILE_CACHE: own, HOME: home } = env;
  if (off === '1') return undefined;
  const first = [own, platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME];
  const base = first.find((folder) => folder && isAbsolute(folder));
  const found = base ?? (home && isAbsolute(home) ? join(home, '.cache') : undefined);
  return found && join(found, 'natter', `${version}-${arch}`);
}

/** V8's data for a chunk and how often it was written; undefined where there is none for just this text. */
function readData(path, source) {
  try {
    const file = readFileSync(path);
    const end = headLength + file.readUInt32LE(0);
    const isWhole = file.length === end + file.readUInt32LE(4);
    if (!isWhole || !file.subarray(end).equals(source)) return undefined;
    return { data: file.subarray(headLength, end), writes: file.readUInt32LE(8) };
  } catch {
    // The first start, or a folder that cannot be read: the chunk is compiled as ever.
    return undefined;
  }
}

/** Whole on the disk before it has its name: V8 would trust what a crash of the machine left of it. */
function writeData({ path, source, script, writes }) {
  const data = script.createCachedData();
  const numbers = Buffer.alloc(headLength);
  numbers.writeUInt32LE(data.length, 0);
  numbers.writeUInt32LE(source.length, 4);
  numbers.writeUInt32LE(writes + 1, 8);
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    writeSync(descriptor, Buffer.concat([numbers, data, source]));
    fdatasyncSync(descriptor);
    renameSync(draft, path);
  } catch (error) {
    // A full disk makes files but fills none.
    unlinkSync(draft);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Loads every `.cjs` file from now on by way of the cache. */
function keepCompiled(host) {
  const folder = cacheFolder(host);
  if (folder === undefined) return;
  const loaded = [];
  require.extensions['.cjs'] = (module, filename) => {
    const source = readFileSync(filename);
    const path = join(folder, basename(filename));
    const kept = readData(path, source);
    const text = source.toString('latin1');
    const script = new Script(head.join(text), {
      filename,
      columnOffset: -head[0].length,
      cachedData: kept?.data,
    });
    const writes = kept === undefined || script.cachedDataRejected ? 0 : kept.writes;
    loaded.push({ path, source, script, writes });
    const run = script.runInThisContext();
    const load = (name) => module.require(name);
    run.call(module.exports, module.exports, load, module, filename, dirname(filename));
  };
  // At the end: the functions that ran are compiled then, and belong to it; those that were kept before stay. All
  // are written where one is new, because a run of a new kind needs more of the others, too. A run that failed is
  // like no other.
  host.on('exit', (code) => {
    if (code !== 0 || loaded.every(({ writes }) => writes >= mostWrites)) return;
    try {
      for (const chunk of loaded) writeData(chunk);
    } catch {
      // A disk that is full or not writable: the next start is as slow as this one was.
    }
  });
}

module.exports = { keepCompiled };
