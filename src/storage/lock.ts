import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import type { ProgramClock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { isJsonObject, parseJson } from '../json.ts';
import { removeFile, retryWhile, withDescriptor } from './files.ts';
import { errorCode, storageFailure } from './storage-failure.ts';

/** This process, and what it knows about others. */
export interface ProcessFacts {
  readonly id: number;
  /** Whether a process with that id is running on this machine. */
  isRunning(id: number): boolean;
  /** Default: this machine; tests simulate others. */
  readonly machine?: Machine;
}

const thisMachine = {
  host: (): string => os.hostname(),
  /** Names the space in which process ids and start times are unique; undefined on systems other than Linux. */
  space(): string | undefined {
    try {
      const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`;
    } catch {
      // Other systems do not have these files, and a container may hide them.
      return undefined;
    }
  },
  /** A dead process is a zombie: its parent has not read its status. The unit of start times is the system's. */
  process(id: number): { readonly isDead: boolean; readonly start: string | undefined } {
    try {
      const text = fs.readFileSync(`/proc/${id}/stat`, 'utf8');
      // Reading starts at field 3, the state: the name before it may contain spaces and parentheses.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return { isDead: /^[ZXx]$/.test(fields[0] ?? ''), start: fields[19] };
    } catch {
      // Processes of other users may be hidden.
      return { isDead: false, start: undefined };
    }
  },
};

export type Machine = typeof thisMachine;

const { O_RDONLY, O_RDWR } = fs.constants;
/** Without it, a named pipe at the path of a lock would block natter; Windows does not have it. */
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;

/** Readable for other accounts, which must see that the lock's owner is running. */
const lockMode = 0o644;

/** The most bytes of a lock; a longer file is none. */
const maxSize = 4096;

/** The milliseconds without a renewal after which a lock is dead, if its process cannot be seen from here. */
const staleAfter = 60_000;
/** The milliseconds for an incomplete lock: a lock is written right after it is created, so its process died. */
const incompleteStaleAfter = 2000;

type LockOwner = ReturnType<typeof createOwner>;

type FoundLock = NonNullable<ReturnType<typeof findLock>>;

function createOwner({ id, machine = thisMachine }: ProcessFacts, since: Date) {
  const space = machine.space();
  return {
    host: machine.host(),
    processId: id,
    /** Where the process id is valid, and the start time of the process; absent on systems that do not report them. */
    space,
    start: space === undefined ? undefined : machine.process(id).start,
    /** When the lock was taken. */
    since: since.toISOString(),
    /** Unique for each time a lock is taken. */
    token: randomUUID() as string,
  };
}

/** Reads the owner; undefined for a text that is not a complete lock file. */
function parseOwner(text: string): LockOwner | undefined {
  const object = parseJson(text);
  if (!isJsonObject(object)) return undefined;
  const { host, processId, space, start, since, token } = object;
  const isOwner =
    typeof host === 'string' &&
    Number.isSafeInteger(processId) &&
    !Number.isNaN(Date.parse(String(since))) &&
    /^[\w-]{1,100}$/.test(String(token));
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
  if (!isOwner) return undefined;
  return { ...(object as unknown as LockOwner), space: textOf(space), start: textOf(start) };
}

/** Whether the owner is running; `unknown` if it cannot be seen from here: then the age of its lock decides. */
function livenessOf(owner: LockOwner, process: ProcessFacts): 'alive' | 'dead' | 'unknown' {
  const { machine = thisMachine } = process;
  // Else its process id means nothing here: a different host, or a container with the same name.
  if (owner.host !== machine.host() || owner.space !== machine.space()) return 'unknown';
  if (!process.isRunning(owner.processId)) return 'dead';
  const { isDead, start } = machine.process(owner.processId);
  if (isDead) return 'dead';
  if (start === undefined || owner.start === undefined) return 'unknown';
  return start === owner.start ? 'alive' : 'dead';
}

/** Windows returns these while a different process is removing the file. */
const removalCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY']);

/** Opens a file, passes it to `use`, and closes it; undefined if the system returns the code `expected`. */
function withFile<Result>(
  expected: 'ENOENT' | 'EEXIST',
  path: string,
  flags: string | number,
  use: (descriptor: number) => Result,
): Result | undefined {
  let descriptor: number;
  try {
    descriptor = retryWhile(removalCodes, () => fs.openSync(path, flags, lockMode));
  } catch (error) {
    if (errorCode(error) === expected) return undefined;
    throw error;
  }
  return withDescriptor(descriptor, use);
}

/** Creates a file with a text; false when the file exists already. @throws the system's error */
function createFile(path: string, text: string): boolean {
  const created = withFile('EEXIST', path, 'wx', (descriptor) => {
    try {
      fs.writeFileSync(descriptor, text);
    } catch (error) {
      // A full disk creates empty files: an empty lock would block everyone.
      removeFile(path);
      throw error;
    }
    return true;
  });
  return created ?? false;
}

function readBytes(descriptor: number): Buffer {
  const bytes = Buffer.alloc(maxSize);
  return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, maxSize, 0));
}

/** Reads a lock; undefined when it is free. @throws the system's error */
function findLock(path: string) {
  return withFile('ENOENT', path, O_RDONLY | O_NONBLOCK, (descriptor) => {
    // The file is looked at after opening, because a network file system asks its server only then.
    const { ino, mtimeMs } = fs.fstatSync(descriptor);
    const text = readBytes(descriptor).toString();
    const owner = parseOwner(text);
    // Its owner may not have finished writing it.
    const isPartial = '{"host":'.startsWith(text.slice(0, 8));
    return {
      /** Unique for each time the lock is taken. */
      token: owner?.token ?? `${ino}-${Math.floor(mtimeMs)}`,
      /** Undefined for a lock whose owner has not finished writing it, or died before. */
      owner,
      /** A file that natter must not remove: its content is not a lock. */
      isForeign: owner === undefined && !isPartial,
      /** When it was taken or renewed; milliseconds. */
      renewedAt: mtimeMs,
    };
  });
}

/** Takes the lock if it is free; false when another process has it. @throws the system's error */
const createLock = (path: string, owner: LockOwner) =>
  createFile(path, `${JSON.stringify(owner)}\n`);

/**
 * Sets the lock's time to now by writing to it: a network file system then uses its server's clock, which is the same
 * for all hosts. A missing lock is taken again.
 * @returns whether the owner has the lock @throws the system's error
 */
function renewLock(path: string, owner: LockOwner): boolean {
  const isOwn = withFile('ENOENT', path, O_RDWR | O_NONBLOCK, (descriptor) => {
    const bytes = readBytes(descriptor);
    if (parseOwner(bytes.toString())?.token !== owner.token) return false;
    fs.writeSync(descriptor, bytes, 0, bytes.length, 0);
    return true;
  });
  return isOwn ?? createLock(path, owner);
}

/** Removes the lock if it still has this token. @throws the system's error */
function removeLock(path: string, token: string): void {
  if (findLock(path)?.token === token) retryWhile(removalCodes, () => removeFile(path));
}

/** Runs an action that must not change the outcome of the program. */
function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // A lock is renewed again soon, and one that cannot be removed is found dead later.
  }
}

/**
 * Returns the milliseconds since a file was written. A time in the future counts the same: the clock was set back, and a
 * process that runs renews its lock within seconds.
 */
const ageOf = ({ renewedAt }: FoundLock) => Math.abs(Date.now() - renewedAt);

/**
 * Judges a lock that was found. It is `alive` if its process is running, or if the file is not a lock of natter. If its
 * process cannot be seen from here, the lock is dead in `remaining` milliseconds, unless it is renewed.
 */
function stateOf(found: FoundLock, process: ProcessFacts) {
  const { owner, isForeign } = found;
  const type = owner === undefined ? 'unknown' : livenessOf(owner, process);
  const limit = owner === undefined ? incompleteStaleAfter : staleAfter;
  const remaining = limit - ageOf(found);
  if (isForeign) return { type: 'alive', remaining };
  return { type: type === 'unknown' && remaining <= 0 ? 'dead' : type, remaining };
}

/** Removes a dead lock, unless another process is removing it. @throws the system's error */
function breakDeadLock(path: string, found: FoundLock): void {
  // Two waiters may find the same dead lock. Only one of them may remove it: the slower one would remove the lock that
  // the faster one has taken meanwhile. So the removal of a token is a lock, too.
  const removal = `${path}.${found.token}`;
  if (createFile(removal, '')) {
    try {
      removeLock(path, found.token);
    } finally {
      removeFile(removal);
    }
    return;
  }
  // The process that was removing it may have been killed.
  const other = findLock(removal);
  if (other !== undefined && ageOf(other) >= staleAfter) removeFile(removal);
}

/** The milliseconds from one renewal of a lock to the next. */
const renewalInterval = 10_000;

export interface LockOptions {
  readonly process: ProcessFacts;
  readonly clock: ProgramClock;
  /** Ends a wait for the lock. */
  readonly signal?: AbortSignal | undefined;
}

/** A lock that is renewed until it is released, for minutes or days. */
export type HeldLock = ReturnType<typeof keepLock>;

export type RefusedLock = Exclude<ReturnType<typeof holdLock>, HeldLock>;

function keepLock(path: string, owner: LockOwner, clock: ProgramClock) {
  let isLost = false;
  // The monotonic clock may stop while the machine sleeps.
  let checked = clock.date().getTime();
  const renew = () => {
    checked = clock.date().getTime();
    isLost ||= !renewLock(path, owner);
    if (isLost) stop();
  };
  const stop = clock.repeat(renewalInterval, () => quietly(renew));
  return {
    isHeld: true as const,
    /** False after another process took the lock of a suspended one. Reads the file only if the last check is old. */
    isKept(): boolean {
      if (Math.abs(clock.date().getTime() - checked) > 2 * renewalInterval) quietly(renew);
      return !isLost;
    },
    /** Never throws: a lock that cannot be removed is found dead later. */
    release(): void {
      stop();
      quietly(() => removeLock(path, owner.token));
    },
  };
}

/**
 * Takes the lock at once and keeps it until it is released, or returns its owner. Breaks a dead lock: the lock of a dead
 * process of this machine, and a lock of a different machine or container that was not renewed for a minute.
 * @throws the system's error when the lock's folder cannot be written
 */
export function holdLock(path: string, { process, clock }: LockOptions) {
  const now = clock.date();
  const owner = createOwner(process, now);
  for (let attempt = 1; ; attempt += 1) {
    if (createLock(path, owner)) return keepLock(path, owner, clock);
    const found = findLock(path);
    const isDead = found === undefined || stateOf(found, process).type === 'dead';
    if (!isDead || attempt === 3) {
      return {
        isHeld: false as const,
        /** Undefined when the lock file does not name it. */
        holder: found?.owner,
        /** When it was taken, if known, else an estimate. */
        since: new Date(found?.owner?.since ?? found?.renewedAt ?? now),
      };
    }
    if (found !== undefined) breakDeadLock(path, found);
  }
}

/** Whether a different process holds the lock. @throws the system's error */
export function isHeldElsewhere(path: string, process: ProcessFacts): boolean {
  const found = findLock(path);
  if (found === undefined) return false;
  const { type } = stateOf(found, process);
  return type === 'unknown' || (type === 'alive' && found.owner?.processId !== process.id);
}

/** The milliseconds between two attempts; most writes take less. */
const writePause = 15;
/** The milliseconds after which a lock is held for too long. */
const maxWait = 10_000;

/** Names the process that has a lock, after `another natter`; empty if it is not known. */
export const holderText = ({ holder }: RefusedLock): string =>
  holder === undefined ? '' : ` (process ${holder.processId} on ${holder.host})`;

/**
 * Runs `action` while no other process has the lock. Breaks a dead lock, like {@link holdLock}.
 * @throws Failure `storage` when the lock is not free within ten seconds; the reason of a signal that aborts; and any
 * error of `action`
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  action: () => Result,
): Promise<Result> {
  const { clock, signal } = options;
  const start = clock.monotonic();
  let lock: HeldLock | RefusedLock;
  try {
    for (;;) {
      lock = holdLock(path, options);
      if (lock.isHeld) break;
      if (clock.monotonic() - start > maxWait) {
        const message = `another natter${holderText(lock)} has locked ${path} for too long`;
        const hint = 'try again in a minute; if no natter is running, delete that file';
        throw new Failure('storage', message, { hint });
      }
      await clock.sleep(writePause, signal);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof Failure ? error : storageFailure('write', path, error);
  }
  try {
    return action();
  } finally {
    lock.release();
  }
}

/** The milliseconds between two checks of a lock. */
const watchPause = 1000;

/**
 * Waits while the state of a lock is unknown: its process runs on a different host or in a different container, and
 * renewed the lock in the last minute. Returns when the lock is free or dead, or its process is known to be running.
 * @param onWait called once, before a longer wait of at most `longest` milliseconds
 * @throws the system's error, or the signal's reason
 */
export async function awaitLock(
  path: string,
  options: LockOptions,
  onWait: (holder: LockOwner, longest: number) => void,
): Promise<void> {
  const { process, clock, signal } = options;
  const first = findLock(path);
  let found = first;
  // The owner of a lock that is taken or renewed meanwhile is running.
  while (found?.owner && found.token === first?.token && found.renewedAt === first.renewedAt) {
    const state = stateOf(found, process);
    if (state.type !== 'unknown') return;
    if (found === first) onWait(found.owner, state.remaining);
    await clock.sleep(watchPause, signal);
    found = findLock(path);
  }
}
