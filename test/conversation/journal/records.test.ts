import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { JournalFold, turnRecord } from '../../../src/conversation/journal/records.ts';
import { messagesOf } from '../../../src/conversation/tree.ts';
import { unreadLines } from '../../../src/storage/read-lines.ts';
import { failureOf } from '../../settings/fixtures/stored.ts';
import {
  addPromptAndAnswer,
  fileOf,
  journalOptions,
  linesOf,
  resumed,
  storedConversation,
  textsOf,
} from '../journal-fixtures.ts';

test('a turn whose record appears twice keeps the first one', () => {
  const turn = { id: 'a', parent: undefined, role: 'user', content: 'why?' } as const;
  const prompt = turnRecord({ ...turn, createdAt: new Date('2026-11-20T12:00:00.000Z') });
  const fold = new JournalFold('x');
  fold.apply(prompt);
  fold.apply({ ...prompt, content: 'something else' });
  expect([...fold.conversation().turns.values()]).toMatchObject([{ content: 'why?' }]);
});

test('a conversation without any date was created at the epoch', () => {
  expect(new JournalFold('x').conversation().createdAt).toEqual(new Date(0));
});

const intact = async () => {
  const options = journalOptions();
  const id = await storedConversation(options, [
    ['one', 'first'],
    ['two', 'second'],
  ]);
  return { options, id, file: fileOf(options.folder, id) };
};

test('D2 D3 a file cut at any byte of its last prompt and answer loads, and its next record is on a new line', async () => {
  const { options, id, file } = await intact();
  const bytes = readFileSync(file);
  const start = bytes.indexOf('"two"');
  for (let end = start; end < bytes.length; end += 1) {
    writeFileSync(file, bytes.subarray(0, end));
    const journal = resumed(options, id);
    expect(textsOf(journal).slice(0, 2)).toEqual(['one', 'first']);
    journal.addTurn({ role: 'user', content: 'three' });
    await journal.close();
    const again = resumed(options, id);
    expect(textsOf(again).at(-1)).toBe('three');
    await again.close();
  }
});

test.each([
  ['D4 a bad line in the middle', 'garbage {', 1],
  ['D5 a block of NUL bytes', '\0'.repeat(4096), 1],
  ['F6 a line with NUL bytes in the middle', `{"type":"title"${'\0'.repeat(9)},"title":"x"}`, 1],
  ['D6 an empty line in CRLF', '\r', 0],
  ['D18 a record of an unknown type', '{"type":"mood","value":"good"}', 0],
  ['a record without a required field', '{"type":"turn","id":"x"}', 1],
])('%s loses only itself', async (_name, line, lost) => {
  const { options, id, file } = await intact();
  const lines = linesOf(options.folder, id);
  const damaged = [...lines.slice(0, 5), line, ...lines.slice(5)];
  writeFileSync(file, `\uFEFF${damaged.join('\r\n')}\r\n`);
  const journal = resumed(options, id);
  expect(textsOf(journal)).toEqual(['one', 'first', 'two', 'second']);
  const warning = unreadLines(file, [6]);
  expect(options.warnings).toEqual(lost === 0 ? [] : [warning]);
  addPromptAndAnswer(journal, 'three', 'third');
  expect(readFileSync(file, 'utf8')).toContain(line);
});

test.each([
  ['D5 F6 NUL bytes between its records', /^|\n/g, '\0\0'],
  ['D6 no final newline', /\n$/, ''],
])('a file with %s loads whole', async (_what, pattern, replacement) => {
  const { options, id, file } = await intact();
  writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, replacement));
  expect(textsOf(resumed(options, id))).toEqual(['one', 'first', 'two', 'second']);
  expect(options.warnings).toEqual([]);
});

test('D3 a record on the line of a torn one is read', async () => {
  const { options, id, file } = await intact();
  const lines = linesOf(options.folder, id);
  appendFileSync(file, lines[1]?.slice(0, 40) ?? '');
  const extra = { type: 'turn', id: 'zzz', parent: null, role: 'user', content: 'extra' };
  appendFileSync(file, `${JSON.stringify(extra)}\n`);
  const journal = resumed(options, id);
  expect(journal.conversation().turns.get('zzz')?.content).toBe('extra');
  expect(options.warnings).toHaveLength(1);
});

test('D4 the loss of any line keeps the other texts', async () => {
  const { options, id, file } = await intact();
  const lines = linesOf(options.folder, id);
  for (const [index] of lines.entries()) {
    writeFileSync(file, `${lines.toSpliced(index, 1, '{').join('\n')}\n`);
    const journal = resumed(options, id);
    const kept = textsOf(journal).filter((text) => text !== '');
    expect(kept.length).toBeGreaterThanOrEqual(3);
    const roles = messagesOf(journal.conversation()).map(({ role }) => role);
    expect(roles.every((role, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))).toBe(true);
    await journal.close();
  }
});

test.each([
  ['D19 without a readable line is renamed', /^[^]*$/, 'no journal', 'renamed to FILE.unreadable'],
  ['of a newer format stays', '"version":1', '"version":2', 'newer natter'],
])('a file %s, not changed', async (_what, pattern, replacement, said) => {
  const { options, id, file } = await intact();
  const text = readFileSync(file, 'utf8').replace(pattern, replacement);
  writeFileSync(file, text);
  const { message, hint = '' } = await failureOf(() => resumed(options, id));
  expect(`${message} ${hint}`.replaceAll(file, 'FILE')).toContain(said);
  expect(readFileSync(existsSync(file) ? file : `${file}.unreadable`, 'utf8')).toBe(text);
});

test('D11 a folder in place of the file causes a failure that names it', async () => {
  const { options, id, file } = await intact();
  rmSync(file);
  mkdirSync(file);
  expect((await failureOf(() => resumed(options, id))).message).toContain(file);
});
