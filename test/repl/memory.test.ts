import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createReplMemory } from '../../src/repl/memory.ts';
import type { ProcessFacts } from '../../src/storage/lock/process-facts.ts';
import { processOn } from '../storage/lock-fixtures.ts';
import { createMemoryContext } from '../support/memory-context.ts';

let state = '';
let drafts = '';
let warnings: string[] = [];

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'natter-state-'));
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

const draft = (name: string, text: string) =>
  writeFileSync(join(drafts, name), JSON.stringify({ at: '2026-11-20T10:00:00Z', text }));

describe('the draft of an ended session', () => {
  const next = () => session(processOn(7, { running: { 7: '700' } }));

  test.each([
    [
      'damaged',
      () => writeFileSync(join(drafts, '41.json'), '{"at":"2026-11-21T10:00:00Z","te'),
      0,
    ],
    ['removed before it is read', () => symlinkSync('nowhere', join(drafts, '41.json')), 0],
    ['not an object', () => writeFileSync(join(drafts, '41.json'), '[]'), 0],
    ['a folder', () => mkdirSync(join(drafts, '41.json')), 1],
  ])('X30: is found beside a draft that is %s', (_how, damage, warned) => {
    draft('42.json', 'half a thought');
    damage();
    expect(next().takeDraft()).toBe('half a thought');
    // Otherwise the next session would get it too.
    expect(existsSync(join(drafts, '42.json'))).toBe(false);
    expect(warnings).toHaveLength(warned);
    expect(warnings.join()).toMatch(/^$|a draft was skipped: cannot read \S+: it is a folder/);
  });

  test('X30: is found beside an unreadable draft', () => {
    draft('42.json', 'half a thought');
    // A link to itself cannot be read by root either.
    symlinkSync('41.json', join(drafts, '41.json'));
    expect(next().takeDraft()).toBe('half a thought');
    expect(warnings.join()).toMatch(/a draft was skipped: cannot read \S+41\.json: /);
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

test('K24: a draft is private, and it is removed when it is sent or emptied', () => {
  const one = session(processOn(7));
  one.keepDraft('text 日本\n👍');
  const file = readdirSync(drafts).find((name) => name.endsWith('.json')) ?? '';
  const { mode } = statSync(join(drafts, file));
  expect(process.platform === 'win32' || (mode & 0o777) === 0o600).toBe(true);
  one.keepDraft(' ');
  expect(readdirSync(drafts).filter((name) => name.endsWith('.json'))).toEqual([]);
});
