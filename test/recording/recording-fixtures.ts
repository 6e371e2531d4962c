import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headerLine } from '../../src/recording/format.ts';
import { prompt } from '../support/run-chat.ts';

/** A path in a folder of its own, where no file is. */
export const newPath = (name = 'tape.jsonl') =>
  join(mkdtempSync(join(tmpdir(), 'natter-recording-')), name);

/** Writes a recording of these lines, JSON values or text as it stands. */
export function writeRecording(...lines: readonly unknown[]): string {
  const path = newPath();
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, headerLine('natter/test') + texts.map((text) => `${text}\n`).join(''));
  return path;
}

/** The lines of a recording after the first, parsed. */
export function readRecordedLines(path: string): readonly Record<string, unknown>[] {
  const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

export const date = '2026-11-20T12:00:00.000Z';

/** The line of a request for a chat; by default the tests' own prompt. */
export function chatRequest(exchange: number, body: unknown = prompt) {
  return {
    exchange,
    at: 0,
    type: 'request',
    date,
    method: 'POST',
    path: '/v1/chat/completions',
    body,
  };
}

export const eventStream = { 'content-type': 'text/event-stream' };
