// Prints the version, or loads the program with Node's compile cache.
const fs = require('node:fs');
const { enableCompileCache } = require('node:module');
const { dirname, isAbsolute, join } = require('node:path');
const { version } = require('../package.json');

const writableByOthers = 0o022;
const accessibleToOthers = 0o077;
const sticky = 0o1000;

/** The user's folder for caches; src/settings/folders.ts names the same. */
function cacheBase({ env, platform }) {
  const own = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME;
  if (own && isAbsolute(own)) return own;
  return env.HOME && isAbsolute(env.HOME) ? join(env.HOME, '.cache') : undefined;
}

/** Not with `recursive`, which never returns if a parent like `/proc` takes no folders. */
function makePrivate(folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Whether this user or root owns a folder and all above it, and no other account can replace what is in them. */
function isGuarded(folder, user) {
  const { uid, mode } = fs.lstatSync(folder);
  const isOpen = (mode & writableByOthers) !== 0 && (mode & sticky) === 0;
  if (isOpen || (uid !== user && uid !== 0)) return false;
  return folder === dirname(folder) || isGuarded(dirname(folder), user);
}

/** Whether only this user has access to a folder. A symbolic link is refused. */
function isPrivate(folder, user) {
  const entry = fs.lstatSync(folder);
  return entry.isDirectory() && entry.uid === user && (entry.mode & accessibleToOthers) === 0;
}

/**
 * natter's private folder of compiled code; undefined for no cache. Who can write there decides what natter runs, and
 * Node's own default is a folder in the one for temporary files, which another account may have created first. Windows
 * has neither owners nor modes: there the folder has the access rights of the user's profile.
 */
function cacheFolder() {
  const base = cacheBase(process);
  if (base === undefined) return undefined;
  try {
    makePrivate(base);
    const folder = join(fs.realpathSync(base), 'natter');
    makePrivate(folder);
    const user = process.geteuid?.();
    const isTrusted = user === undefined || (isPrivate(folder, user) && isGuarded(folder, user));
    return isTrusted ? folder : undefined;
  } catch {
    // A folder that cannot be created or read: natter only starts slower.
    return undefined;
  }
}

/** From Node 22.1 on. NODE_COMPILE_CACHE has already opened the user's own cache; NODE_DISABLE_COMPILE_CACHE refuses any. */
function openCompileCache() {
  const { NODE_COMPILE_CACHE: own, NODE_DISABLE_COMPILE_CACHE: isOff } = process.env;
  if (enableCompileCache === undefined || own || isOff) return;
  const folder = cacheFolder();
  if (folder !== undefined) enableCompileCache(folder);
}

/** Reports a clone, or a package made from one, without the built files; throws any other error. */
function reportMissingBuild(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const folder = dirname(__dirname);
  const line = fs.existsSync(join(folder, 'package-lock.json'))
    ? `natter is not built: run npm ci in ${folder}`
    : `natter is incomplete: install it again (no built files in ${folder})`;
  process.exitCode = 3;
  process.stderr.write(`${line}\n`);
}

function start([word, ...others]) {
  if (others.length === 0 && (word === '--version' || word === '-V')) {
    try {
      return fs.writeSync(1, `${version}\n`);
    } catch {
      // The program prints it again and reports why it cannot.
    }
  }
  openCompileCache();
  import('../dist/main.js').catch(reportMissingBuild);
}

exports.start = start;
