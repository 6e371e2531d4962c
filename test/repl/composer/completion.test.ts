import { describe, expect, test } from 'vitest';
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

describe('findCompletion', () => {
  test.each<[string, Partial<CompletionRequest>]>([
    ['/|', { kind: 'command', typed: '', from: 1, to: 1 }],
    ['/mo|', { kind: 'command', typed: 'mo' }],
    ['/model |', { kind: 'argument', command: 'model', typed: '' }],
    ['/resume my talk ab|', { kind: 'argument', command: 'resume', typed: 'my talk ab' }],
    ['/save src/re|', { kind: 'path', typed: 'src/re' }],
    ['/save 2 ~/out|', { kind: 'path', typed: '~/out', from: 8 }],
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
});

describe('matchCandidates', () => {
  test('sorts prefix matches before other matches', () => {
    const request = { kind: 'argument', from: 0, to: 0, typed: 'ta' } as const;
    const matched = matchCandidates(request, values('beta', 'Tango', 'other', 'table'));
    expect(matched.map(({ value }) => value)).toEqual(['Tango', 'table', 'beta']);
  });

  test('shows hidden files only when a dot is typed', () => {
    const files = values('.git', 'src');
    const request = { kind: 'path', from: 0, to: 0 } as const;
    expect(matchCandidates({ ...request, typed: '' }, files)).toEqual(values('src'));
    expect(matchCandidates({ ...request, typed: '.' }, files)).toEqual(values('.git'));
  });

  test('compares the names in a typed folder', () => {
    const request = { kind: 'path', from: 0, to: 0, typed: 'src/ma' } as const;
    const files = values('src/main.ts', 'src/.main', 'src/other.ts');
    expect(matchCandidates(request, files)).toEqual(values('src/main.ts'));
  });
});

test.each([
  [['retry', 'rename', 'resume'], 're'],
  [['one'], 'one'],
  [['a', 'b'], ''],
  [['👍🏽x', '👍🏿y'], ''],
  [[], ''],
])('candidates %j extend an empty word to %j', (names, prefix) => {
  const request = { kind: 'argument', from: 7, to: 7, typed: '' } as const;
  const buffer = createBuffer('/model ');
  expect(extendTyped(buffer, request, values(...names)).text).toBe(`/model ${prefix}`);
});

test('a typed word that the candidates spell differently stays', () => {
  const request = { kind: 'argument', from: 7, to: 9, typed: 're' } as const;
  const buffer = createBuffer('/model re');
  expect(extendTyped(buffer, request, values('Resume', 'Resumed')).text).toBe('/model re');
});

describe('applyCandidate', () => {
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

  test('can be undone', () => {
    const buffer = createBuffer('/mo');
    const request = requestAt('/mo|');
    const completed = request && applyCandidate(buffer, request, { value: 'model' });
    expect(completed && undo(completed).text).toBe('/mo');
  });
});
