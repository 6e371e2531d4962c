// The bundle's chunks are compiled once, and started from what V8 made of them. A file of the cache is a head of numbers,
// V8's data and the chunk's own text: it is taken for that text alone, and V8 refuses data of another version or of
// other flags. V8 does not notice a forged file, so the cache is used only where no other account can have written it.
// `module.enableCompileCache` of Node 22 and later keeps the code as it was before a run, and is slower for it.
const { closeSync, constants, fdatasyncSync, fstatSync, lstatSync, mkdirSync } = require('node:fs');
const {
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
} = require('node:fs');
const { basename, dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const head = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'];
const headLength = 16;
/** So often is a chunk written: the first run of it may not be the one that most runs are like. */
const mostWrites = 3;

const ownerOnly = 0o700;
const writableByOthers = 0o022;
const accessibleToOthers = 0o077;
const sticky = 0o1000;

/** The folder that holds natter's: by Node's own variable for its cache, else with the caches of the user. */
function cacheBase({ env, platform }) {
  const { NODE_DISABLE_COMPILE_CACHE: off, NODE_COMPILE_CACHE: own, HOME: home } = env;
  if (off === '1') return undefined;
  const first = [own, platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME];
  const base = first.find((folder) => folder && isAbsolute(folder));
  return base ?? (home && isAbsolute(home) ? join(home, '.cache') : undefined);
}

/** Undefined where nothing is there. */
function entryAt(path) {
  try {
    return lstatSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Whether this user or root owns a path and all above it, and no other account may replace a part of it. A part that
 * is missing is fine: this user will own it.
 */
function isBeyondOthers(path, user) {
  const entry = entryAt(path);
  const isOwned = entry === undefined || entry.uid === user || entry.uid === 0;
  const isGuarded =
    entry === undefined ||
    entry.isSymbolicLink() ||
    (entry.isDirectory() && ((entry.mode & writableByOthers) === 0 || (entry.mode & sticky) !== 0));
  const parent = dirname(path);
  return isOwned && isGuarded && (parent === path || isBeyondOthers(parent, user));
}

/** Whether a folder is this user's alone (0700 and no symbolic link), or missing. */
function isPrivate(folder, user) {
  const entry = entryAt(folder);
  if (entry === undefined) return true;
  return entry.isDirectory() && entry.uid === user && (entry.mode & accessibleToOthers) === 0;
}

/**
 * The folder that natter's compiled code is read from and written to; undefined for no cache. Below `base` natter
 * follows no symbolic link. Windows has neither owners nor modes: there the folder has the access rights of the
 * profile it is in.
 */
function trustedFolder(base, host) {
  const names = ['natter', `${host.version}-${host.arch}`];
  const user = host.geteuid?.();
  if (user === undefined) return join(base, ...names);
  try {
    const isThere = entryAt(base) !== undefined;
    const real = isThere ? realpathSync.native(base) : base;
    const folder = join(real, ...names);
    const isTrusted =
      (real === base || isBeyondOthers(base, user)) &&
      isBeyondOthers(dirname(folder), user) &&
      !entryAt(dirname(folder))?.isSymbolicLink() &&
      isPrivate(folder, user);
    return isTrusted ? folder : undefined;
  } catch {
    // A file where a folder is expected, or a folder that cannot be entered: there is no cache.
    return undefined;
  }
}

/** One by one: Node's recursive way never returns where the folder above is there and takes no new ones, as `/proc`. */
function makeFolders(folder) {
  const parent = dirname(folder);
  if (entryAt(folder) !== undefined) return;
  if (parent !== folder) makeFolders(parent);
  try {
    mkdirSync(folder, { mode: ownerOnly });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** A file of this user's that no other account can have written; where there are no owners, any. */
function isOwnFile({ uid, mode }, user) {
  return user === undefined || (uid === user && (mode & writableByOthers) === 0);
}

function readOwnFile(path, user) {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return isOwnFile(fstatSync(descriptor), user) ? readFileSync(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** V8's data for a chunk and how often it was written; undefined where there is none for just this text. */
function readData(path, source, user) {
  try {
    const file = readOwnFile(path, user);
    if (file === undefined) return undefined;
    const end = headLength + file.readUInt32LE(0);
    const isWhole = file.length === end + file.readUInt32LE(4);
    if (!isWhole || !file.subarray(end).equals(source)) return undefined;
    return { data: file.subarray(headLength, end), writes: file.readUInt32LE(8) };
  } catch {
    // The first start, or a folder that cannot be read: the chunk is compiled as ever.
    return undefined;
  }
}

/**
 * Whole on the disk before it has its name: V8 would trust what a crash of the machine left of it. The name until then
 * is one that no other process takes; in containers that share a home, all may be process 1.
 */
function writeData({ path, source, script, writes }) {
  const data = script.createCachedData();
  const numbers = Buffer.alloc(headLength);
  numbers.writeUInt32LE(data.length, 0);
  numbers.writeUInt32LE(source.length, 4);
  numbers.writeUInt32LE(writes + 1, 8);
  const draft = `${path}.${process.pid}-${process.hrtime.bigint()}`;
  const descriptor = openSync(draft, 'wx', 0o600);
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

function writeLoaded(folder, loaded, base, host) {
  try {
    makeFolders(folder);
    // Asked again, because another account may have made it first.
    const trusted = trustedFolder(base, host);
    if (trusted === undefined) return;
    for (const { name, ...chunk } of loaded) writeData({ ...chunk, path: join(trusted, name) });
  } catch {
    // A disk that is full or not writable: the next start is as slow as this one was.
  }
}

/** Loads every `.cjs` file from now on by way of the cache. `host` is Node's process. */
function keepCompiled(host) {
  const base = cacheBase(host);
  const folder = base && trustedFolder(base, host);
  if (folder === undefined) return;
  const user = host.geteuid?.();
  const loaded = [];
  require.extensions['.cjs'] = (module, filename) => {
    const source = readFileSync(filename);
    const name = basename(filename);
    const kept = readData(join(folder, name), source, user);
    const text = source.toString('latin1');
    const script = new Script(head.join(text), {
      filename,
      columnOffset: -head[0].length,
      cachedData: kept?.data,
    });
    const writes = kept === undefined || script.cachedDataRejected ? 0 : kept.writes;
    loaded.push({ name, source, script, writes });
    const run = script.runInThisContext();
    const load = (id) => module.require(id);
    run.call(module.exports, module.exports, load, module, filename, dirname(filename));
  };
  // At the end: the functions that ran are compiled then, and belong to it; those that were kept before stay. All
  // are written where one is new, because a run of a new kind needs more of the others, too. A run that failed is
  // like no other.
  host.on('exit', (code) => {
    if (code !== 0 || loaded.every(({ writes }) => writes >= mostWrites)) return;
    writeLoaded(folder, loaded, base, host);
  });
}

module.exports = { keepCompiled };
