import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { spawn, type IPty, type IPtyForkOptions } from '@lydell/node-pty';

/** Fields of node-pty on POSIX systems, which its types omit. */
interface PosixPty {
  readonly _socket: ReadStream;
  readonly fd: number;
  /** The program's end of the pseudo-terminal. */
  readonly ptsName: string;
}

/** The unread output in the pseudo-terminal of `fd`. */
function* unread(fd: number): Generator<Buffer, void> {
  const block = Buffer.alloc(65_536);
  for (;;) {
    try {
      const length = readSync(fd, block);
      if (length === 0) return;
      yield Buffer.from(block.subarray(0, length));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Empty, or hung up.
      if (code === 'EAGAIN' || code === 'EIO' || code === 'EBADF') return;
      throw error;
    }
  }
}

/**
 * Starts a program on a pseudo-terminal; all its output arrives before `onExit`. node-pty alone loses the end of the
 * output if the reader is busy: Node treats a hang-up as the end after the first short read, and node-pty closes the
 * terminal 200 ms after the program has ended. Here the program's end is kept open, and drained at the exit.
 */
export function spawnOnTerminal(file: string, args: string[], options: IPtyForkOptions): IPty {
  const child = spawn(file, args, options);
  if (process.platform === 'win32') return child;
  const { _socket: socket, fd, ptsName } = child as unknown as PosixPty;
  const held = openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY);
  let isOver = false;
  // node-pty adds this listener only when the program has ended or the window is closed.
  socket.on('newListener', (event) => {
    if (event !== 'close' || isOver) return;
    isOver = true;
    for (const bytes of unread(fd)) {
      socket.push(bytes);
      while (socket.read() !== null);
    }
    closeSync(held);
    socket.destroy();
  });
  return child;
}
