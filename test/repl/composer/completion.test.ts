import { expect, test } from 'vitest';
import {
  applyCandidate,
  extendTyped,
  findCompletion,
  matchCandidates,
  type Candidate,
  type CompletionRequest,
} from '../../../src/repl/composer/completion.ts';
import { undo } from '../../../src/repl/composer/edit-actions.ts';
import { createBuffer, draftFrom, moveTo } from '../../../src/repl/composer/text-buffer.ts';
import { processorTime } from '../../support/processor-time.ts';

const kinds = new Map([
  ['model', 'value'],
  ['resume', 'value'],
  ['save', 'path'],
  ['review', 'word'],
] as const);

/** The request at `|`. */
function requestAt(text: string): CompletionRequest | undefined {
  const draft = { ...draftFrom(text.replace('|', '')), cursor: text.indexOf('|') };
  return findCompletion(draft, (command) => kinds.get(command as 'model'));
}

function complete(text: string, candidate: Candidate): string {
  const request = requestAt(text);
  const buffer = moveTo(createBuffer(text.replace('|', '')), text.indexOf('|'));
  if (request === undefined) return 'nothing to complete';
  const { text: result, cursor } = applyCandidate(buffer, request, candidate);
  return `${result.slice(0, cursor)}|${result.slice(cursor)}`;
}

const values = (...names: string[]) => names.map((value) => ({ value }));

test.each<[string, Partial<CompletionRequest>]>([
  ['/|', { kind: 'command', typed: '', from: 1, to: 1 }],
  ['/mo|', { kind: 'command', typed: 'mo' }],
  ['/model |', { kind: 'argument', command: 'model', typed: '' }],
  ['/resume my talk ab|', { kind: 'argument', command: 'resume', typed: 'my talk ab' }],
  ['/save src/re|', { kind: 'path', typed: 'src/re' }],
  ['/save 2 ~/out|', { kind: 'path', typed: '~/out', from: 8 }],
  ['/review lang=t|', { kind: 'argument', command: 'review', typed: 'lang=t' }],
  ['/review see @no|', { kind: 'mention', typed: 'no' }],
  ['see @|', { kind: 'mention', typed: '' }],
  ['see\n@/etc/ho|', { kind: 'mention', typed: '/etc/ho' }],
  ['see @"my dir/a b|', { kind: 'mention', typed: 'my dir/a b' }],
])('recognises what is before the caret in %j', (text, request) => {
  expect(requestAt(text)).toMatchObject(request);
});

test.each([
  ['hello|'],
  ['|'],
  ['|/model'],
  ['//mo|'],
  ['/quit now|'],
  ['a@b|'],
  ['@a b|'],
  ['@"a" |'],
])('finds nothing to complete in %j', (text) => {
  expect(requestAt(text)).toBeUndefined();
});

test('searches only the end of a huge text', async () => {
  const text = `${'word '.repeat(200_000)}@src|`;
  const taken = await processorTime(() => {
    expect(requestAt(text)).toMatchObject({ typed: 'src' });
  });
  expect(taken).toBeLessThan(100);
});

test.each<[string, CompletionRequest['kind'], string, string[], string[]]>([
  ['prefixes first', 'argument', 'ta', ['beta', 'Tango', 'x', 'table'], ['Tango', 'table', 'beta']],
  ['no hidden files', 'path', '', ['.git', 'src'], ['src']],
  ['hidden files after a dot', 'path', '.', ['.git', 'src'], ['.git']],
  ['names in a folder', 'path', 'src/ma', ['src/main.ts', 'src/.main', 'src/x'], ['src/main.ts']],
])('matches %s', (_, kind, text, names, matching) => {
  const request = { kind, from: 0, to: 0, typed: text };
  expect(matchCandidates(request, values(...names))).toEqual(values(...matching));
});

test.each([
  [['retry', 'rename', 'resume'], '', 're'],
  [['one'], '', 'one'],
  [['a', 'b'], '', ''],
  [['👍🏽x', '👍🏿y'], '', ''],
  [[], '', ''],
  // Spelled differently.
  [['Resume', 'Resumed'], 're', 're'],
])('candidates %j extend the word %j to %j', (names, word, extended) => {
  const request = { kind: 'argument', from: 7, to: 7 + word.length, typed: word } as const;
  const buffer = createBuffer(`/model ${word}`);
  expect(extendTyped(buffer, request, values(...names)).text).toBe(`/model ${extended}`);
});

test.each<[string, Candidate, string]>([
  ['/mo|', { value: 'model' }, '/model |'],
  ['/mo| nextgen', { value: 'model' }, '/model| nextgen'],
  ['/model ne|', { value: 'nextgen' }, '/model nextgen|'],
  ['/save sr|', { value: 'src', isFolder: true }, '/save src/|'],
  ['see @src/ma|', { value: 'src/main.ts' }, 'see @src/main.ts |'],
  ['see @|, please', { value: '日本.md' }, 'see @日本.md |, please'],
  ['see @my|', { value: 'my dir', isFolder: true }, 'see @"my dir/|'],
  ['see @"my dir/|', { value: 'my dir/a.txt' }, 'see @"my dir/a.txt" |'],
  ['see @"my dir/a|', { value: 'my dir/a b.txt' }, 'see @"my dir/a b.txt" |'],
])('completes %j', (text, candidate, result) => {
  expect(complete(text, candidate)).toBe(result);
});

test('a completion can be undone', () => {
  const buffer = createBuffer('/mo');
  const request = requestAt('/mo|');
  const completed = request && applyCandidate(buffer, request, { value: 'model' });
  expect(completed && undo(completed).text).toBe('/mo');
});
