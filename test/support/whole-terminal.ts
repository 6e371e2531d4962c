import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { spawn, type IPty, type IPtyForkOptions } from '@lydell/node-pty';

/** What node-pty has on POSIX systems; its types leave it out. */
interface Inside {
  readonly _socket: ReadStream;
  readonly fd: number;
  /** The program's end of the pseudo-terminal. */
  readonly ptsName: string;
}

/** What is left in the pseudo-terminal of `fd`. */
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
 * Starts a program on a pseudo-terminal, all of whose output arrives before `onExit`. With node-pty alone its end is
 * lost to a busy reader: Node takes a hang-up for the end after the first short read, and node-pty closes the
 * terminal 200 ms after the program has ended. Here the program's end is held open, and read empty at the exit.
 */
export function spawnOnTerminal(file: string, args: string[], options: IPtyForkOptions): IPty {
  const child = spawn(file, args, options);
  if (process.platform === 'win32') return child;
  const { _socket: socket, fd, ptsName } = child as unknown as Inside;
  const held = openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY);
  let isOver = false;
  // Only when the program has ended, or the window is closed, does node-pty wait for this.
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
