// A separate Redis or Valkey: on loopback, on a free port, with its own folder, and with an append-only file.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Undefined if neither is installed. */
export function findServer() {
  const names = ['redis-server', 'valkey-server'];
  return names.find((name) => spawnSync(name, ['--version']).status === 0);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const password = 'queue-test-password';

/** Starts a server with a password. @param name of the program */
export async function startServer(name) {
  const folder = mkdtempSync(join(tmpdir(), 'natter-redis-'));
  const port = await freePort();
  const words = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes'];
  const start = () =>
    spawn(name, [...words, '--save', '', '--requirepass', password].map(String), {
      stdio: 'ignore',
    });
  let running = start();
  const stop = async () => {
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGTERM');
    await ended;
  };
  await sleep(500);
  return {
    port,
    /** With the password, for NATTER_QUEUE. */
    url: `redis://:${password}@127.0.0.1:${port}/0`,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true });
    },
    /** @param pause milliseconds without a server */
    async restart(pause) {
      await stop();
      await sleep(pause);
      running = start();
    },
  };
}
