// The process's three standard streams as natter uses them. Tests pass in-memory ones.

import { fstatSync, readFileSync, statSync, type Stats } from 'node:fs';
import { devNull } from 'node:os';

/** Standard output or error: a terminal, a pipe or a file. */
export type OutputStream = ReturnType<typeof outputStream>;

export type InputStream = ReturnType<typeof inputStream>;

export type Streams = Readonly<ReturnType<typeof processStreams>>;

/** The abort reason when the reader of standard output has closed it, as in `natter … | head -1`. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Where the terminal reports no size, or 0. */
const fallbackColumns = 80;
const fallbackRows = 24;

/**
 * Node opens the null device for reading and writing in place of a closed stream, which Linux shows. A shell opens it
 * only for writing; other programs that discard output may open it for both.
 */
function isReplacedByNode(descriptor: number): boolean {
  try {
    if (!isNullDevice(fstatSync(descriptor))) return false;
    const facts = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    return /^flags:\s*[0-7]*2$/m.test(facts);
  } catch {
    // A different system.
    return false;
  }
}

function outputStream(
  process: NodeJS.Process,
  name: 'stdout' | 'stderr',
  isTerminal: boolean,
  onWriteError: (stream: 'stdout' | 'stderr', error: NodeJS.ErrnoException) => void,
) {
  let opened: NodeJS.WriteStream | undefined;
  let failed = false;
  let hasWritten = false;
  // Opened at the first use: creating a standard stream costs milliseconds.
  const stream = () => {
    opened ??= process[name].on('error', (error: NodeJS.ErrnoException) => {
      failed = true;
      onWriteError(name, error);
    });
    return opened;
  };
  return {
    isTerminal,
    columns: () => stream().columns || fallbackColumns,
    rows: () => stream().rows || fallbackRows,
    /** The parent process has closed it, so that all text would be lost; false where that is unknown. */
    isClosed: () => isReplacedByNode(name === 'stdout' ? 1 : 2),
    /** Returns a promise while the reader is slow: await it. Never rejects: a closed reader aborts the run instead. */
    write(text: string): Promise<void> | undefined {
      if (failed || text === '') return undefined;
      hasWritten = true;
      const target = stream();
      if (target.write(text)) return undefined;
      return new Promise((resolve) => {
        const done = () => {
          target.off('drain', done).off('close', done).off('error', done);
          resolve();
        };
        target.on('drain', done).on('close', done).on('error', done);
      });
    },
    /** Resolves when everything written has left the process, or the stream has failed. */
    async flush(): Promise<void> {
      const target = opened;
      if (failed || !hasWritten || target === undefined) return;
      // Even if nothing is buffered: a full disk is reported only after the write.
      await new Promise<void>((resolve) => {
        target.once('error', () => resolve()).write('', () => resolve());
      });
    },
  };
}

function isNullDevice(found: Stats): boolean {
  if (!found.isCharacterDevice()) return false;
  try {
    return found.rdev === statSync(devNull).rdev;
  } catch {
    // Windows may not identify devices: as a stream, the null device ends at once.
    return false;
  }
}

function inputStream(process: NodeJS.Process, isTerminal: boolean) {
  return {
    isTerminal,
    /** A pipe of a shell, or a file: not a terminal, the null device or a socket, which a parent process may pass on. */
    isRedirected(): boolean {
      const found = fstatSync(0);
      return found.isFIFO() || found.isFile();
    },
    /**
     * All bytes until the end of input. Ending the iteration early, or aborting `signal`, releases the stream.
     * @throws the signal's reason when it aborts
     */
    async *bytes(signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
      signal?.throwIfAborted();
      const found = fstatSync(0);
      // Node would give an empty stream for a folder.
      if (found.isDirectory()) throw new Error('it is a folder');
      if (isNullDevice(found)) return;
      const stream = process.stdin;
      const release = () => void stream.destroy();
      signal?.addEventListener('abort', release, { once: true });
      try {
        for await (const chunk of stream) yield chunk as Uint8Array;
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      } finally {
        signal?.removeEventListener('abort', release);
        release();
      }
    },
  };
}

/** The standard streams of `process`; `onWriteError` is called for a closed reader or a full disk. */
export function processStreams(
  process: NodeJS.Process,
  isTerminal: (descriptor: number) => boolean,
  onWriteError: (stream: 'stdout' | 'stderr', error: NodeJS.ErrnoException) => void,
) {
  return {
    stdin: inputStream(process, isTerminal(0)),
    stdout: outputStream(process, 'stdout', isTerminal(1), onWriteError),
    stderr: outputStream(process, 'stderr', isTerminal(2), onWriteError),
  };
}
