import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { silentNotices } from '../../src/output/notices.ts';
import { appendHistory, createReplMemory, readHistory } from '../../src/repl/memory.ts';
import type { ProcessFacts } from '../../src/storage/lock.ts';
import { unreadLines } from '../../src/storage/read-lines.ts';
import { processOn } from '../storage/lock-fixtures.ts';
import { folderOf } from '../support/folder.ts';
import { createMemoryContext } from '../support/memory-context.ts';

let state = '';
let drafts = '';
let warnings: string[] = [];

beforeEach(() => {
  state = folderOf();
  drafts = join(state, 'drafts');
  mkdirSync(drafts);
  warnings = [];
});

/** The memory of a session of this process. */
function session(process: ProcessFacts) {
  const { context } = createMemoryContext({ environment: { NATTER_STATE_DIR: state } });
  const warn = (text: string) => void warnings.push(text);
  return createReplMemory({ ...context, process }, true, { notice: warn, warning: warn });
}

const draft = (name: string, text: string, at = '2026-11-20T10:00:00Z') =>
  writeFileSync(join(drafts, name), JSON.stringify({ at, text }));

describe('the draft of an ended session', () => {
  const next = () => session(processOn(7, { running: { 7: '700' } }));

  test.each<[string, (file: string) => void, isSaid?: boolean]>([
    ['damaged', (file) => writeFileSync(file, '{"at":"2026-11-21T10:00:00Z","te'), true],
    ['removed before it is read', (file) => symlinkSync('nowhere', file)],
    ['not an object', (file) => writeFileSync(file, '[]'), true],
    ['a folder', (file) => mkdirSync(file)],
    // It cannot be read by root either.
    ['a link to itself', (file) => symlinkSync('41.json', file)],
  ])('X30: is found beside a draft that is %s', (_how, damage, isSaid = false) => {
    draft('42.json', 'half a thought');
    damage(join(drafts, '41.json'));
    expect(next().takeDraft()).toBe('half a thought');
    // Otherwise the next session would get it too.
    expect(existsSync(join(drafts, '42.json'))).toBe(false);
    expect(warnings).toEqual(isSaid ? [unreadLines(join(drafts, '41.json'), [1])] : []);
  });

  test('X7: of process 1 of a container is found by process 1 of the next container', () => {
    const first = session(processOn(1, { running: { 1: '100' } }));
    first.keepDraft('half a thought');
    const second = session(processOn(1, { running: { 1: '200' } }));
    expect(second.takeDraft()).toBe('half a thought');
    second.keepDraft('');
    second.close();
    expect(readdirSync(drafts)).toEqual([]);
  });
});

test('R7: a draft stays in the folder in which it was typed', () => {
  const running = { 7: '700', 8: '800' };
  const first = session(processOn(7, { running }));
  first.keepDraft('half a thought');
  first.close();
  const [file = ''] = readdirSync(drafts);
  const stored = readFileSync(join(drafts, file), 'utf8');
  const move = (folder: string) =>
    writeFileSync(join(drafts, file), JSON.stringify({ ...JSON.parse(stored), folder }));
  move('/elsewhere');
  expect(session(processOn(8, { running })).takeDraft()).toBe('');
  move(process.cwd());
  expect(session(processOn(8, { running })).takeDraft()).toBe('half a thought');
});

test('the draft of a running session stays with it', () => {
  const running = { 7: '700', 8: '800' };
  const first = session(processOn(7, { running }));
  first.keepDraft('half a thought');
  expect(session(processOn(8, { running })).takeDraft()).toBe('');
  first.close();
  expect(session(processOn(8, { running })).takeDraft()).toBe('half a thought');
});

test('the newest draft of the ended sessions comes first', () => {
  draft('41.json', 'older', '2026-11-20T09:00:00Z');
  draft('42.json', 'newest', '2026-11-20T11:00:00Z');
  draft('43.json', 'old');
  const next = session(processOn(7, { running: { 7: '700' } }));
  expect([next.takeDraft(), next.takeDraft(), next.takeDraft()]).toEqual([
    'newest',
    'old',
    'older',
  ]);
});

test('K24: a draft is private, and it is removed when it is sent or emptied', () => {
  const one = session(processOn(7));
  one.keepDraft('text 日本\n👍');
  const file = readdirSync(drafts).find((name) => name.endsWith('.json')) ?? '';
  const { mode } = statSync(join(drafts, file));
  expect(process.platform === 'win32' || (mode & 0o777) === 0o600).toBe(true);
  one.keepDraft(' ');
  expect(readdirSync(drafts).filter((name) => name.endsWith('.json'))).toEqual([]);
});

const at = new Date('2026-11-21T10:00:00Z');
let file = '';

beforeEach(() => {
  file = join(folderOf(), 'state', 'history.jsonl');
});

function write(content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const line = (text: string) => `${JSON.stringify({ at: at.toISOString(), text })}\n`;

describe('history file', () => {
  test('keeps prompts across sessions, including line ends, emoji and lone surrogates', () => {
    const texts = ['one', 'two\nlines', '日本 👨‍👩‍👧‍👦', 'half \uD83D'];
    for (const text of texts) appendHistory(file, text, at);
    expect(readHistory(file, silentNotices)).toEqual(texts);
  });

  test('reads the end of a huge file without cutting a character', () => {
    const text = '日本語👍'.repeat(5000);
    write(line(text).repeat(150));
    expect(statSync(file).size).toBeGreaterThan(8 << 20);
    const texts = readHistory(file, silentNotices);
    expect(texts.length).toBeGreaterThan(80);
    expect(new Set(texts)).toEqual(new Set([text]));
  });

  test.each([
    ['a cut line', '{"at":"2026-11-21T10:00:00Z","text":"cu'],
    ['a foreign line', 'hello\n'],
    ['a record without a text', '{"at":"2026"}\n'],
    ['a line that is not an object', 'null\n'],
  ])('skips only %s, and says so', (_, damaged) => {
    write(line('before') + damaged);
    appendHistory(file, 'after', at);
    const notice = vi.fn<(text: string) => void>();
    expect(readHistory(file, { ...silentNotices, notice })).toEqual(['before', 'after']);
    expect(notice.mock.calls).toEqual([[unreadLines(file, [2])]]);
  });

  test('reads files with a byte order mark and CRLF from an editor, and NUL from a crash', () => {
    write(`\uFEFF${line('one').replace('\n', '\r\n')}\0\0\0${line('two')}`);
    expect(readHistory(file, silentNotices)).toEqual(['one', 'two']);
  });

  test('omits blank texts and those over a megabyte', () => {
    appendHistory(file, ' \n', at);
    appendHistory(file, 'x'.repeat(2 << 20), at);
    expect(readHistory(file, silentNotices)).toEqual([]);
  });

  test('K24 is readable only by its owner', () => {
    write('');
    chmodSync(file, 0o644);
    appendHistory(file, 'one', at);
    const { mode } = statSync(file);
    expect(process.platform === 'win32' || (mode & 0o777) === 0o600).toBe(true);
  });

  test('names the file if it cannot be written or read', () => {
    mkdirSync(file, { recursive: true });
    expect(() => appendHistory(file, 'one', at)).toThrow(Failure);
    expect(() => readHistory(file, silentNotices)).toThrow(file);
  });
});
