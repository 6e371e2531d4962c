import fs from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, storageFailure } from './storage-failure.ts';

// What Node's functions for files do not do as natter needs it.

/** Passes an open file to `use`, and closes it. */
export function withDescriptor<Result>(
  descriptor: number,
  use: (descriptor: number) => Result,
): Result {
  try {
    return use(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** What a path leads to; undefined if that is nothing, or cannot be looked up. */
export function entryAt(name: string): fs.Stats | undefined {
  try {
    return fs.statSync(name, { throwIfNoEntry: false });
  } catch {
    // A file where a folder is expected, a folder that may not be entered, a name that is too long, a link to itself.
    return undefined;
  }
}

export const isFile = (name: string): boolean => entryAt(name)?.isFile() === true;

export const isFolder = (name: string): boolean => entryAt(name)?.isDirectory() === true;

/**
 * Creates a folder for its owner only (0700), and its missing parents. One by one, because Node's recursive mkdir never
 * returns if the parent exists but accepts no folders, such as `/proc`.
 * @throws the system's error
 */
export function makePrivateFolder(folder: string): void {
  // Usually: an error takes longer to create than a folder.
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(folder);
  if (parent !== folder && !fs.existsSync(parent)) makePrivateFolder(parent);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Created by another process just now.
    if (errorCode(error) !== 'EEXIST' || !isFolder(folder)) throw error;
  }
}

/** Removes a file, if it exists. @throws the system's error */
export function removeFile(path: string): void {
  fs.rmSync(path, { force: true });
}

/**
 * Opens a new file with a predictable name, such as the temporary file that replaces the file beside it. An existing
 * file is left from a crash, or is a link from a different account in a shared folder: it is removed, not followed.
 * @throws the system's error
 */
export function openTemporaryFile(path: string, mode: number): number {
  removeFile(path);
  return fs.openSync(path, 'wx', mode);
}

/** The milliseconds before each retry; short, because they help only on Windows. */
const pauses = [10, 20, 50, 100, 200];

/**
 * Calls `action` again, up to five times in 0.4 seconds, while it throws one of the system's error codes. Blocks the
 * process.
 * @throws the system's error
 */
export function retryWhile<Result>(
  codes: ReadonlySet<string | undefined>,
  action: () => Result,
): Result {
  for (const pause of pauses) {
    try {
      return action();
    } catch (error) {
      if (!codes.has(errorCode(error))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
  return action();
}

/** Errors on Windows while a virus scanner, an indexer or an editor has one of the files open. */
const openElsewhereCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EBUSY', 'EPERM']);

/**
 * Renames a file and replaces the target. Retries while another program has one of them open.
 * @throws the system's error
 */
export function renameFile(from: string, to: string): void {
  retryWhile(openElsewhereCodes, () => fs.renameSync(from, to));
}

/**
 * Replaces a file, or a link to one, atomically. @param temporary beside the file
 * @throws the system's error
 */
export function replaceContent(
  file: string,
  content: string,
  mode: number,
  temporary = `${file}.new`,
): void {
  withDescriptor(openTemporaryFile(temporary, mode), (descriptor) =>
    fs.writeFileSync(descriptor, content),
  );
  renameFile(temporary, file);
}

/** The environment variable with the folder of natter's state. */
export const stateVariable = 'NATTER_STATE_DIR';

/**
 * Replaces a file of the state folder (0600) atomically.
 * @param writer differs between processes that may write the file at the same time
 * @throws Failure `storage`
 */
export function replaceFile(file: string, content: string, writer?: number): void {
  try {
    makePrivateFolder(dirname(file));
    const next = `${file}${writer === undefined ? '' : `.${writer}`}.new`;
    replaceContent(file, content, 0o600, next);
  } catch (error) {
    throw storageFailure('write', file, error, stateVariable);
  }
}

/** The errors of systems and file systems that do not support it, and of folders that are not readable. */
const unsupported = /^E(?:ACCES|INVAL|ISDIR|NOSYS|NOTSUP|PERM)$/;

/**
 * Flushes a folder to the disk after files in it were created or renamed. Does nothing where that is not supported
 * (Windows).
 * @throws the system's error
 */
export function synchronizeFolder(path: string): void {
  try {
    withDescriptor(fs.openSync(path, 'r'), fs.fsyncSync);
  } catch (error) {
    if (!unsupported.test(errorCode(error) ?? '')) throw error;
  }
}
