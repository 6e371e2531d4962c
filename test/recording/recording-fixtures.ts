import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { headerLine } from '../../src/recording/format.ts';
import { openRecordingFile } from '../../src/recording/recorder.ts';
import { appendFile, type AppendFile } from '../../src/storage/append-file.ts';
import { folderOf } from '../support/folder.ts';
import { prompt } from '../support/run-chat.ts';

/** A path without a file, in a new folder. */
export const newPath = (name = 'tape.jsonl') => join(folderOf(), name);

export const lockOptions = {
  clock: systemClock,
  process: { id: process.pid, isRunning: () => true },
};

export const openRecorded = (path: string, storage: AppendFile = appendFile) =>
  openRecordingFile(path, { ...lockOptions, storage, program: 'natter/test' });

/** Writes a recording of these lines: JSON values, or text as it is. */
export function writeRecording(...lines: readonly unknown[]): string {
  const path = newPath();
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, headerLine('natter/test') + texts.map((text) => `${text}\n`).join(''));
  return path;
}

/** The lines of a recording after its header, parsed. */
export function readRecordedLines(path: string): readonly Record<string, unknown>[] {
  const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

export const date = '2026-11-20T12:00:00.000Z';

/** The line of a chat request; by default with the prompt of the tests. */
export function chatRequest(exchange: number, body: unknown = prompt) {
  const place = { method: 'POST', path: '/v1/chat/completions' };
  return { exchange, at: 0, type: 'request', date, ...place, body };
}

export const eventStream = { 'content-type': 'text/event-stream' };
