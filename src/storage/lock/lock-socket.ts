// A process in a container is invisible to other containers, but its socket in the file system is visible to all that
// run under the same kernel: when the process ends, connections to the socket are refused at once.
import fs from 'node:fs';

import { isInContainer, isSameBoot, type Liveness, type LockOwner } from './lock-owner.ts';
import type { ProcessFacts } from './process-facts.ts';
import { removeFile } from '../remove-file.ts';
import { errorCode } from '../storage-failure.ts';

/** Bytes of a socket's path (`sun_path` without its terminator). */
const maxPath = 107;

const socketOf = (path: string, token: string) => `${path}.${token}.alive`;

export type CloseSocket = () => void;

/**
 * Listens on a socket beside a lock, so that other containers see that its owner is running. Does nothing outside a
 * container, or where the file system has no sockets. Does not keep the process running.
 */
export async function openLockSocket(
  path: string,
  { token }: LockOwner,
  process: ProcessFacts,
): Promise<CloseSocket> {
  const socket = socketOf(path, token);
  if (!isInContainer(process) || Buffer.byteLength(socket) > maxPath) return () => undefined;
  const { createServer } = await import('node:net');
  const server = createServer((connection) => connection.destroy()).unref();
  await new Promise<void>((resolve) => {
    // Without a socket, the renewals of the lock show that its owner is running.
    server.once('listening', resolve).on('error', () => resolve());
    server.listen(socket);
  });
  return () => {
    server.close();
    removeFile(socket);
  };
}

/** Removes the socket of a dead process. @throws the system's error */
export function removeLockSocket(path: string, token: string): void {
  removeFile(socketOf(path, token));
}

/** Whether the process behind the socket is running; `unknown` without a socket, or under a different kernel. */
export async function probeLockSocket(
  path: string,
  owner: LockOwner,
  process: ProcessFacts,
): Promise<Liveness> {
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
      resolve(errorCode(error) === 'ECONNREFUSED' ? 'dead' : 'unknown');
    });
  });
}

/** A socket is reachable only through the same mount of a file system. */
function isSameDevice(path: string, { device }: LockOwner): boolean {
  return device !== undefined && fs.statSync(path, { throwIfNoEntry: false })?.dev === device;
}
