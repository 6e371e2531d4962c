import { createRequire } from 'node:module';
import { Failure } from '../../../failure.ts';
import { isJsonObject } from '../../../json.ts';
import { errorCode } from '../../../storage/storage-failure.ts';
import type { Libraries, QueueModule, RedisModule } from './library.ts';

/** The oldest versions with all the parts in `library.ts`. */
const oldest = { bullmq: [6, 0], ioredis: [5, 4] } as const;

type LibraryName = keyof typeof oldest;

const queueLibrary: LibraryName = 'bullmq';
const redisLibrary: LibraryName = 'ioredis';

const hint =
  'npm install --global bullmq ioredis; if natter is not installed globally, also set NODE_PATH="$(npm root --global)"';

function missing(name: LibraryName): Failure {
  return new Failure('configuration', `a queue needs the package ${name}, which is not installed`, {
    hint,
  });
}

function isOld(version: unknown, [oldestMajor, oldestMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = String(version).split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/** @throws Failure `configuration` for an old version */
function checkVersion(require: NodeJS.Require, name: LibraryName): void {
  const description: unknown = require(`${name}/package.json`);
  const version = isJsonObject(description) ? description['version'] : undefined;
  if (!isOld(version, oldest[name])) return;
  const message = `a queue needs ${name} ${oldest[name].join('.')} or newer, not ${String(version)}`;
  throw new Failure('configuration', message, { hint });
}

/** Undefined if the package is not installed where `require` looks. @throws Failure `configuration`; other errors of the package */
function loadFrom(require: NodeJS.Require, name: LibraryName): unknown {
  try {
    checkVersion(require, name);
    return require(name);
  } catch (error) {
    if (errorCode(error) !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

/**
 * Loads BullMQ and ioredis from where `program` finds them: beside natter, or in `NODE_PATH`. Never from the current
 * folder, whose files may be a stranger's.
 * @param program path of the file in whose folder, and the folders above, `node_modules` is searched
 * @throws Failure `configuration`
 */
export function loadLibraries(program: string = import.meta.filename): Libraries {
  const require = createRequire(program);
  const queue = loadFrom(require, queueLibrary);
  if (queue === undefined) throw missing(queueLibrary);
  // BullMQ may have its own ioredis, in the folder of its package.
  const redis = loadFrom(createRequire(require.resolve(queueLibrary)), redisLibrary);
  if (redis === undefined) throw missing(redisLibrary);
  // Both are checked only by their versions: their own types are not installed.
  return { queue: queue as QueueModule, redis: redis as RedisModule };
}
