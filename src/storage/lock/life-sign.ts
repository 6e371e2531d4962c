// A process in a container cannot be seen from other containers, but its socket in the file system can, by all that
// run under the same kernel: with the process the listener is gone, and connections are refused at once.
import fs from 'node:fs';

import { isInContainer, isSameBoot, type LockOwner } from './lock-owner.ts';
import type { ProcessFacts } from './process-facts.ts';
import { removeFile } from '../remove-file.ts';
import { errorCode } from '../storage-failure.ts';

/** Bytes of a socket's path (`sun_path` less its end). */
const longestPath = 107;

const socketOf = (path: string, token: string) => `${path}.${token}.alive`;

/** Ends a sign of life. */
export type EndOfLife = () => void;

/**
 * Shows other containers that the owner of a lock is running; does nothing outside a container, or where the file
 * system has no sockets. Keeps no process alive.
 */
export async function showLife(
  path: string,
  { token }: LockOwner,
  process: ProcessFacts,
): Promise<EndOfLife> {
  const socket = socketOf(path, token);
  if (!isInContainer(process) || Buffer.byteLength(socket) > longestPath) return () => undefined;
  const { createServer } = await import('node:net');
  const server = createServer((connection) => connection.destroy()).unref();
  await new Promise<void>((resolve) => {
    // Without a socket, renewals alone show life.
    server.once('listening', resolve).on('error', () => resolve());
    server.listen(socket);
  });
  return () => {
    server.close();
    removeFile(socket);
  };
}

/** Removes the sign of a process that is gone. */
export function removeLifeSign(path: string, token: string): void {
  removeFile(socketOf(path, token));
}

/** What the socket says of its process; `unknown` where there is none, or where this kernel cannot know. */
export async function findLife(
  path: string,
  owner: LockOwner,
  process: ProcessFacts,
): Promise<'alive' | 'gone' | 'unknown'> {
  const socket = socketOf(path, owner.token);
  if (!isSameBoot(owner, process) || !isSameDevice(path, owner)) return 'unknown';
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve('alive');
    });
    connection.once('error', (error) => {
      resolve(errorCode(error) === 'ECONNREFUSED' ? 'gone' : 'unknown');
    });
  });
}

/** Sockets are found through the same mount of a file system only. */
function isSameDevice(path: string, { device }: LockOwner): boolean {
  return device !== undefined && fs.statSync(path, { throwIfNoEntry: false })?.dev === device;
}
