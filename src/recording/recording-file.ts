import fs from 'node:fs';
import { Failure } from '../failure.ts';
import { endsTorn, type AppendFile } from '../storage/append-file.ts';
import { type LockOptions, withLock } from '../storage/lock.ts';
import { readLines } from '../storage/read-lines.ts';
import { errorCode, failureReason } from '../storage/storage-failure.ts';
import {
  formatLine,
  headerLine,
  parseLine,
  type ResponseEvent,
  type RecordedEvent,
  checkHeader,
} from './format.ts';

/** Creates the file, or checks that it is a recording. An empty file, as from `mktemp`, becomes one. */
function prepare(path: string, program: string): void {
  try {
    fs.writeFileSync(path, headerLine(program), { flag: 'wx', mode: 0o600 });
    return;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const found = fs.statSync(path);
  if (!found.isFile()) {
    throw new Failure('usage', `cannot record into ${path}: it is not a regular file`);
  }
  if (found.size === 0) fs.writeFileSync(path, headerLine(program), { flag: 'a' });
  else {
    const [line = ''] = readLines(path);
    checkHeader(line, path);
  }
}

/**
 * Opens a recording for appending, or creates a private one (0600). What it returns throws the system's error, or a
 * Failure.
 * @param options `program` is `natter/1.2.3`; `signal` ends the wait for other processes during the opening
 * @throws Failure `storage` if it cannot be written, `configuration` if it is not a recording
 */
export async function openRecordingFile(
  path: string,
  options: LockOptions & { readonly storage: AppendFile; readonly program: string },
) {
  const { storage, program } = options;
  const locked = <Result>(action: () => Result, signal = options.signal) =>
    withLock(`${path}.lock`, { ...options, ...(signal && { signal }) }, action);
  /** The highest number in the first `scanned` bytes of the file with this inode. */
  let last = 0;
  let scanned = 0;
  let inode = -1;
  const isReplaced = () => inode !== -1 && fs.statSync(path).ino !== inode;

  /** Reads only the data written since the last call. */
  function nextNumber(): number {
    if (isReplaced()) prepare(path, program);
    const { size, ino } = fs.statSync(path);
    if (ino !== inode || size < scanned) [last, scanned] = [0, 0];
    inode = ino;
    if (size > scanned) {
      for (const line of readLines(path, scanned)) {
        last = Math.max(last, parseLine(line)?.exchange ?? 0);
      }
      if (!endsTorn(path)) scanned = size;
    }
    last += 1;
    return last;
  }

  function write(text: string): void {
    const bytes = Buffer.from(text);
    // The cut line stays torn; the next record starts on a new line.
    if (storage.append(path, bytes) < bytes.length)
      throw Object.assign(new Error('cut'), { code: 'ENOSPC' });
  }

  try {
    await locked(() => prepare(path, program));
  } catch (error) {
    options.signal?.throwIfAborted();
    // The failure of a lock names the lock file, which users do not know.
    const cause: unknown = error instanceof Failure ? error.cause : error;
    if (error instanceof Failure && cause === undefined) throw error;
    throw new Failure('storage', `cannot record into ${path}: ${failureReason(cause)}`, {
      hint: 'check the path and its permissions, or record into another file',
      cause,
    });
  }
  return {
    /**
     * Writes a request and returns the number of its exchange, which is unique among all processes. Waits for other
     * writers until `signal` aborts.
     */
    begin: (request: RecordedEvent & { type: 'request' }, signal?: AbortSignal): Promise<number> =>
      locked(() => {
        const exchange = nextNumber();
        const line = formatLine({ exchange, at: 0, ...request });
        write(endsTorn(path) ? `\n${line}` : line);
        return exchange;
      }, signal),
    append(exchange: number, at: number, event: ResponseEvent): void {
      if (isReplaced()) throw new Failure('storage', `${path} was replaced by another file`);
      write(formatLine({ exchange, at, ...event }));
    },
  };
}
