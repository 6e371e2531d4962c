import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';

// N13: the options of other programs
test.each([
  ['--modle', 'x', 'did you mean --model? See natter --help'],
  ['--jsno', 'x', 'did you mean --json? See natter --help'],
  ['--temperature', '0', 'use --param temperature=0, if the service takes it'],
  ['--top-p=0.5', 'hi', 'use --param top_p=0.5, if the service takes it'],
  ['--temp', 'hi', 'use --param temperature=0.2, if the service takes it'],
  ['-S', 'hi', '--no-stream prints the answer at its end; natter conversations show ID shows one'],
  ['-x', 'hi', 'natter last --block 1 prints a code block of the last answer'],
  ['-n', 'hi', '--no-save does not save the conversation'],
  ['-C', 'hi', '--resume ID continues a conversation, -c the last one'],
  ['-l', 'hi', 'natter conversations lists conversations, natter models list the models'],
  ['--append-system-prompt', 'hi', '-s sets the system prompt'],
  ['--template', 'review', 'natter run NAME sends a prompt file; natter prompts lists them'],
  [
    '--window',
    '8192',
    'it is a setting: natter config set window <value>, or NATTER_WINDOW for one run',
  ],
  ['--secret-guard=off', 'hi', 'it is a setting: natter config set secret-guard <value>'],
  ['conversations', 'rm', 'natter conversations delete'],
  ['--no-color', 'hi', 'use --color never'],
  ['--no-markdown', 'hi', '--plain prints plain text on a terminal, --raw exactly the bytes'],
  ['-t', 'summarize', 'a template is a prompt file: natter run NAME sends it'],
  ['--api-key=x', 'hi', 'use natter auth login, or'],
  ['-p', 'hi', 'natter "a prompt" prints the answer'],
  ['--output', 'json', 'natter "a prompt" > FILE writes the answer to a file; --json prints JSON'],
  ['--format=json', 'hi', '--json prints JSON, --jsonl an event per line'],
  ['models', '--format', '--json prints JSON'],
  ['models', '-p', 'see natter models list --help'],
  ['models', 'lsit', 'did you mean natter models list?'],
  ['models', 'origin', 'to show a model: natter models get origin'],
  ['models', 'default', 'natter config set model <model>'],
  ['config', 'lst', 'did you mean list? See natter config --help'],
  ['auth', 'logn', 'did you mean login? See natter auth --help'],
])('natter %s %s has the hint: %s', async (first, second, hint) => {
  const { code, stderr } = await runInMemory([first, second]);
  expect(code).toBe(2);
  expect(stderr).toContain(`\n  ${hint}`);
});

test.each([
  [['conversations', 'rm', 'latest'], 'natter conversations delete latest'],
  [['conversations', 'find', 'a b'], 'natter conversations search …'],
  [
    ['auth', 'login', '--api-key', 'x'],
    'natter auth login asks for the key, or reads it from a file: natter auth login < key.txt',
  ],
  [['auth', 'login', '--kye'], 'see natter auth login --help'],
  [['compare', '--kye'], 'see natter compare --help; put text that starts with a dash after --'],
])('natter %j has only the hint: %s', async (words, hint) => {
  const { code, stderr } = await runInMemory(words);
  expect(code).toBe(2);
  expect(stderr.split('\n').slice(1)).toEqual([`  ${hint}`, '']);
});

test('a field that the sandbox does not take is refused with a hint', async () => {
  const { code, stderr } = await runInMemory(['--sandbox', '--param', 'temperature=0', 'hi']);
  expect(code).toBe(7);
  expect(stderr).toContain('unsupported parameter: "temperature"');
  expect(stderr).toContain(
    '\n  omit its --param, or natter config unset params.<name>; the sandbox takes only model, messages, stream and max_tokens, other servers take more\n',
  );
});
