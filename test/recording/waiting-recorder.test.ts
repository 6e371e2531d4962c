import { expect, test } from 'vitest';
import type { HttpRequest, Transport } from '../../src/client/http/transport.ts';
import { systemClock } from '../../src/clock.ts';
import { createRecorder } from '../../src/recording/recorder.ts';
import { openRecordingFile } from '../../src/recording/recording-file.ts';
import { appendFile } from '../../src/storage/append-file.ts';
import { createLock, createOwner, releaseLock } from '../../src/storage/lock/lock.ts';
import { newPath, readRecordedLines } from './recording-fixtures.ts';

const clock = systemClock;
const running = { id: process.pid, isRunning: () => true };

const network: Transport = async () => ({
  status: 200,
  headers: {},
  body: (async function* body() {})(),
  destroy: () => undefined,
});

test('stops a request that waits for another natter immediately, and records later ones', async () => {
  const path = newPath();
  const program = 'natter/test';
  const file = await openRecordingFile(path, {
    clock,
    process: running,
    storage: appendFile,
    program,
  });
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const transport = createRecorder(file, clock, () => undefined, onFailure)(network);
  const url = new URL('http://127.0.0.1/v1/models');
  const request: HttpRequest = { method: 'GET', url, headers: {} };
  createLock(`${path}.lock`, createOwner(running, new Date(), 'theirs'));
  const stop = new AbortController();
  const answer = transport(request, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(answer).rejects.toThrow('stopped');
  releaseLock(`${path}.lock`, 'theirs');
  await transport(request, new AbortController().signal);
  expect(failures).toEqual([]);
  expect(readRecordedLines(path).map(({ type }) => type)).toEqual(['request', 'response']);
});
