// Caches the compiled code of the bundle's chunks. A cache file has a header of numbers, V8's data and the chunk's source;
// it is used only for exactly that source, and V8 refuses data of a different version or with different flags. V8 does
// not detect a forged file, so the cache is used only where no other account can have written to it. Node's own
// `module.enableCompileCache` (22.1 and later) stores the code as it was before the run, which is slower: see
// docs/decisions/0007-compiled-once.md.
const fs = require('node:fs');
const { basename, dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const opening = Buffer.from('(function (exports, require, module, __filename, __dirname) { ');
const ending = Buffer.from('\n})');
const headLength = 16;
const { O_RDONLY, O_NOFOLLOW = 0 } = fs.constants;
/** A symbolic link is not opened. */
const ownFlags = O_RDONLY | O_NOFOLLOW;
/** A chunk is written this many times, because its first run may not be typical. */
const mostWrites = 3;

const ownerOnly = 0o700;
const writableByOthers = 0o022;
const accessibleToOthers = 0o077;
const sticky = 0o1000;

/** The parent of natter's cache folder: that of Node's own variable, else the user's cache folder. */
function cacheBase({ env, platform }) {
  const { NODE_DISABLE_COMPILE_CACHE: off, NODE_COMPILE_CACHE: nodeCache, HOME: home } = env;
  if (off === '1') return undefined;
  const candidates = [nodeCache, platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME];
  const base = candidates.find((folder) => folder && isAbsolute(folder));
  return base ?? (home && isAbsolute(home) ? join(home, '.cache') : undefined);
}

/** Undefined if the path does not exist. */
const entryAt = (path) => fs.lstatSync(path, { throwIfNoEntry: false });

/**
 * Whether this user or root owns an entry, and no other account can replace a part of it. A missing one is allowed:
 * this user will create it.
 */
function isGuarded(entry, user) {
  if (entry === undefined) return true;
  if (entry.uid !== user && entry.uid !== 0) return false;
  if (entry.isSymbolicLink()) return true;
  return (
    entry.isDirectory() && ((entry.mode & writableByOthers) === 0 || (entry.mode & sticky) !== 0)
  );
}

/** The entries of a path and of all folders above it; undefined if one is not guarded. */
function guardedEntries(path, user) {
  const entries = [];
  for (let part = path, parent; part !== parent; part = dirname(part)) {
    const entry = entryAt(part);
    if (!isGuarded(entry, user)) return undefined;
    entries.push(entry);
    parent = part;
  }
  return entries;
}

/** Whether only this user has access to a folder (0700, not a symbolic link), or it is missing. */
function isPrivate(folder, user) {
  const entry = entryAt(folder);
  if (entry === undefined) return true;
  return entry.isDirectory() && entry.uid === user && (entry.mode & accessibleToOthers) === 0;
}

const isLink = (entry) => entry?.isSymbolicLink() === true;

/**
 * The folder for natter's compiled code; undefined for no cache. natter follows no symbolic link below `base`. Windows
 * has neither owners nor modes: there the folder has the access rights of the user's profile.
 */
function trustedFolder(base, host) {
  const names = ['natter', `${host.version}-${host.arch}`];
  const user = host.geteuid?.();
  if (user === undefined) return join(base, ...names);
  try {
    let folder = join(base, ...names);
    let entries = guardedEntries(dirname(folder), user);
    if (entries?.some(isLink) && entryAt(base) !== undefined) {
      folder = join(fs.realpathSync.native(base), ...names);
      entries = guardedEntries(dirname(folder), user);
    }
    const isTrusted = entries !== undefined && !isLink(entries[0]) && isPrivate(folder, user);
    return isTrusted ? folder : undefined;
  } catch {
    // A file where a folder is expected, or a folder that cannot be entered.
    return undefined;
  }
}

/** Creates one folder at a time: `mkdirSync` with `recursive` never returns if a parent like `/proc` takes no folders. */
function makeFolders(folder) {
  const parent = dirname(folder);
  if (entryAt(folder) !== undefined) return;
  if (parent !== folder) makeFolders(parent);
  try {
    fs.mkdirSync(folder, { mode: ownerOnly });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Whether the file is this user's and no other account can have written it; true on systems without owners. */
function isOwnFile({ uid, mode }, user) {
  return user === undefined || (uid === user && (mode & writableByOthers) === 0);
}

/**
 * The bytes of a file, with room before and after them; undefined if `isAccepted` refuses its entry. Takes half the
 * calls of `readFileSync`.
 */
function readBytes(path, flags, isAccepted, before = 0, after = 0) {
  const descriptor = fs.openSync(path, flags);
  try {
    const entry = fs.fstatSync(descriptor);
    if (!isAccepted(entry)) return undefined;
    const bytes = Buffer.allocUnsafeSlow(before + entry.size + after);
    return fs.readSync(descriptor, bytes, before, entry.size) === entry.size ? bytes : undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The source of a chunk, and the code with it that V8 compiles. One buffer, because V8 would copy a joined string. */
function readCode(path) {
  const code = readBytes(path, O_RDONLY, () => true, opening.length, ending.length);
  opening.copy(code);
  ending.copy(code, code.length - ending.length);
  return { code, source: code.subarray(opening.length, code.length - ending.length) };
}

/** V8's data for a chunk and how often it was written; undefined without data for exactly this source. */
function readData(path, source, user) {
  try {
    const file = readBytes(path, ownFlags, (entry) => isOwnFile(entry, user));
    if (file === undefined) return undefined;
    const end = headLength + file.readUInt32LE(0);
    const isWhole = file.length === end + file.readUInt32LE(4);
    if (!isWhole || !file.subarray(end).equals(source)) return undefined;
    return { data: file.subarray(headLength, end), writes: file.readUInt32LE(8) };
  } catch {
    // The first start, or a folder that cannot be read: the chunk is compiled as usual.
    return undefined;
  }
}

/**
 * The file is flushed to disk before it is renamed into place, because V8 would trust the remains of a crash. The name
 * of the draft is unique: in containers that share a home, every process may have the id 1.
 */
function writeData({ path, source, script, writes }) {
  const data = script.createCachedData();
  const numbers = Buffer.alloc(headLength);
  numbers.writeUInt32LE(data.length, 0);
  numbers.writeUInt32LE(source.length, 4);
  numbers.writeUInt32LE(writes + 1, 8);
  const draft = `${path}.${process.pid}-${process.hrtime.bigint()}`;
  const descriptor = fs.openSync(draft, 'wx', 0o600);
  try {
    fs.writeSync(descriptor, Buffer.concat([numbers, data, source]));
    fs.fdatasyncSync(descriptor);
    fs.renameSync(draft, path);
  } catch (error) {
    // A full disk still creates files, but empty ones.
    fs.unlinkSync(draft);
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

function writeLoaded(folder, loaded, base, host) {
  try {
    makeFolders(folder);
    // Checked again, because another account may have created the folder first.
    const trusted = trustedFolder(base, host);
    if (trusted === undefined) return;
    for (const { name, ...chunk } of loaded) writeData({ ...chunk, path: join(trusted, name) });
  } catch {
    // A disk that is full or not writable: the next start is as slow as this one.
  }
}

/**
 * Loads the main chunk, and the chunks that it requires, through the cache. `host` is Node's `process`. Node's own
 * loader would look for the real path and the package of each chunk; here a chunk is known by its path below `dist`.
 */
function loadProgram(host) {
  const main = join(dirname(__dirname), 'dist', 'main.cjs');
  const base = cacheBase(host);
  const folder = base && trustedFolder(base, host);
  if (folder === undefined) return require(main);
  const user = host.geteuid?.();
  const loaded = [];
  const load = (filename) => {
    const known = require.cache[filename];
    if (known !== undefined) return known.exports;
    const { code, source } = readCode(filename);
    const name = basename(filename);
    const cached = readData(join(folder, name), source, user);
    const script = new Script(code.latin1Slice(), {
      filename,
      columnOffset: -opening.length,
      cachedData: cached?.data,
    });
    const writes = cached === undefined || script.cachedDataRejected ? 0 : cached.writes;
    loaded.push({ name, source, script, writes });
    const chunk = { exports: {} };
    require.cache[filename] = chunk;
    const parent = dirname(filename);
    const loadFrom = (id) => (id.startsWith('./') ? load(join(parent, id)) : require(id));
    try {
      script
        .runInThisContext()
        .call(chunk.exports, chunk.exports, loadFrom, chunk, filename, parent);
    } catch (error) {
      delete require.cache[filename];
      throw error;
    }
    return chunk.exports;
  };
  // Written at the exit, when the functions that ran are compiled; those from the cache are included. If one chunk is
  // new, all are written, because a new kind of run needs more functions of the others too. A failed run is not typical.
  host.on('exit', (code) => {
    if (code !== 0 || loaded.every(({ writes }) => writes >= mostWrites)) return;
    writeLoaded(folder, loaded, base, host);
  });
  return load(main);
}

module.exports = { loadProgram, readData };
