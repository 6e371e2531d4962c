import { expect, test } from 'vitest';
import type { ChatOptions } from '../../../src/commands/chat/chat-run.ts';
import { wantsRepl } from '../../../src/commands/chat/run.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

const plain: ChatOptions = { color: 'auto', input: true, stream: true, stdin: true };
const onTerminal = createMemoryContext({ terminals: ['stdin', 'stdout', 'stderr'] }).context;
const inPipe = createMemoryContext({ terminals: ['stdout', 'stderr'] }).context;

test.each<[string, readonly string[], Partial<ChatOptions>, boolean]>([
  ['natter', [], {}, true],
  ['natter -f notes.md', [], { file: ['notes.md'] }, true],
  ['natter -c', [], { continue: true }, true],
  ['natter hello', ['hello'], {}, false],
  ['natter -i hello', ['hello'], { interactive: true }, true],
  ['natter --json', [], { json: true }, false],
  ['natter --no-input', [], { input: false }, false],
])('%s opens the REPL: %4$s', (_line, words, options, wanted) => {
  expect(wantsRepl(onTerminal, words, { ...plain, ...options })).toBe(wanted);
});

test('a pipe opens no REPL, and --interactive fails', () => {
  expect(wantsRepl(inPipe, [], plain)).toBe(false);
  expect(() => wantsRepl(inPipe, [], { ...plain, interactive: true })).toThrow(
    '--interactive needs a terminal',
  );
});
