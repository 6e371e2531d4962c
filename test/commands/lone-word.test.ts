import { expect, test } from 'vitest';
import { questionLoneWord } from '../../src/commands/lone-word.ts';
import { createMemoryContext } from '../support/memory-context.ts';

const terminals = ['stdin', 'stdout', 'stderr'] as const;

test.each(['y', 'Y', 'yes', ' YES '])('a person who answers %j sends the word', async (answer) => {
  const { context, questions } = createMemoryContext({ terminals, answers: [answer] });
  await questionLoneWord(context, ['modles'], { input: true });
  expect(questions).toEqual([
    'natter: "modles" is close to the command "models". Send it as a prompt? [y/N] ',
  ]);
});

test.each(['', 'n', 'maybe'])('a person who answers %j does not', async (answer) => {
  const { context } = createMemoryContext({ terminals, answers: [answer] });
  await expect(questionLoneWord(context, ['modles'], { input: true })).rejects.toThrow(
    '"modles" was not sent',
  );
});

test('without input the word is refused unasked', async () => {
  const { context, questions } = createMemoryContext({ terminals });
  await expect(questionLoneWord(context, ['modles'], { input: false })).rejects.toMatchObject({
    hint: 'did you mean natter models? To send it: natter -- modles',
  });
  expect(questions).toEqual([]);
});

test.each([
  ['in a pipe', [] as const, ['modles']],
  ['where nobody sees the question', ['stdin', 'stdout'] as const, ['modles']],
  ['for another word', terminals, ['tomorrow']],
  ['for two words', terminals, ['modles', 'list']],
])('nothing is asked %s', async (_, open, words) => {
  const { context, questions } = createMemoryContext({ terminals: open });
  await questionLoneWord(context, words, { input: true });
  expect(questions).toEqual([]);
});
