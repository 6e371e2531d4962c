import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { appendHistory, readHistory } from '../../src/repl/memory.ts';

const at = new Date('2026-11-21T10:00:00Z');
let folder = '';
let file = '';

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'natter-history-'));
  file = path.join(folder, 'state', 'history.jsonl');
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

function write(content: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

const line = (text: string) => `${JSON.stringify({ at: at.toISOString(), text })}\n`;

describe('history file', () => {
  test('keeps prompts across sessions, including line ends, emoji and lone surrogates', () => {
    const texts = ['one', 'two\nlines', '日本 👨‍👩‍👧‍👦', 'half \uD83D'];
    for (const text of texts) appendHistory(file, text, at);
    expect(readHistory(file)).toEqual(texts);
  });

  test('loses no entry with CJK or emoji at a 4 KB boundary', () => {
    const texts = Array.from(
      { length: 400 },
      (_, index) => `${'x'.repeat(index % 7)}日本語👍 ${index}`,
    );
    for (const text of texts) appendHistory(file, text, at);
    expect(fs.statSync(file).size).toBeGreaterThan(16_384);
    expect(readHistory(file)).toEqual(texts);
  });

  test('reads the end of a huge file without cutting a character', () => {
    const text = '日本語👍'.repeat(5000);
    write(line(text).repeat(150));
    expect(fs.statSync(file).size).toBeGreaterThan(8 << 20);
    const texts = readHistory(file);
    expect(texts.length).toBeGreaterThan(80);
    expect(new Set(texts)).toEqual(new Set([text]));
  });

  test.each([
    ['a cut line', '{"at":"2026-11-21T10:00:00Z","text":"cu'],
    ['a foreign line', 'hello\n'],
    ['a record without a text', '{"at":"2026"}\n'],
    ['a line that is not an object', 'null\n'],
  ])('skips only %s', (_, damaged) => {
    write(line('before') + damaged);
    appendHistory(file, 'after', at);
    expect(readHistory(file)).toEqual(['before', 'after']);
  });

  test('reads files with a byte order mark and CRLF from an editor, and NUL from a crash', () => {
    write(`\uFEFF${line('one').replace('\n', '\r\n')}\0\0\0${line('two')}`);
    expect(readHistory(file)).toEqual(['one', 'two']);
  });

  test('is empty if there is no file', () => {
    expect(readHistory(file)).toEqual([]);
  });

  test('omits blank texts and those over a megabyte', () => {
    appendHistory(file, ' \n', at);
    appendHistory(file, 'x'.repeat(2 << 20), at);
    expect(readHistory(file)).toEqual([]);
  });

  test('K24 is readable only by its owner', () => {
    write('');
    fs.chmodSync(file, 0o644);
    appendHistory(file, 'one', at);
    const { mode } = fs.statSync(file);
    expect(process.platform === 'win32' || (mode & 0o777) === 0o600).toBe(true);
  });

  test('names the file if it cannot be written or read', () => {
    fs.mkdirSync(file, { recursive: true });
    expect(() => appendHistory(file, 'one', at)).toThrow(Failure);
    expect(() => readHistory(file)).toThrow(file);
  });
});
