import { expect, test } from 'vitest';
import { divideReasoning } from '../../src/ask/think-tags.ts';
import { finished, text } from '../support/events.ts';

async function* eventsOf(texts: readonly string[], end: 'finished' | Error) {
  for (const one of texts) yield text(one);
  if (end instanceof Error) throw end;
  yield finished;
}

async function divide(texts: readonly string[], end: 'finished' | Error = 'finished') {
  const divided = { answer: '', reasoning: '', received: '', types: [] as string[], thrown: '' };
  try {
    for await (const event of divideReasoning(eventsOf(texts, end))) {
      if (divided.types.at(-1) !== event.type) divided.types.push(event.type);
      if (event.type === 'text-received') divided.answer += event.text;
      if (event.type === 'text-received') divided.received += event.text;
      if (event.type !== 'reasoning-received') continue;
      divided.reasoning += event.text;
      divided.received += event.received ?? '';
    }
  } catch (error) {
    divided.thrown = (error as Error).message;
  }
  return divided;
}

/** The text in every way of splitting it into two deltas, and in single characters. */
function splits(whole: string): readonly (readonly string[])[] {
  const cuts = Array.from(whole, (_, index) => [whole.slice(0, index), whole.slice(index)]);
  return [[whole], Array.from(whole), ...cuts];
}

test.each([
  ['<think>why</think>because', 'why', 'because'],
  ['\n <think>\nwhy <b></think>\n\nbecause\n', '\nwhy <b>', 'because\n'],
  ['<think></think>because', '', 'because'],
  ['<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
  ['no tags: <think>a</think>', '', 'no tags: <think>a</think>'],
  ['<thinker>a', '', '<thinker>a'],
  ['  <thi', '', '  <thi'],
  ['\n\n', '', '\n\n'],
  ['', '', ''],
])(
  'N8: %j is the reasoning %j and the answer %j, however it is split',
  async (received, ...parts) => {
    const [reasoning, answer] = parts;
    for (const deltas of splits(received)) {
      expect(await divide(deltas)).toMatchObject({ reasoning, answer, received });
    }
  },
);

test.each(['<think>a</thi', '<think>a', '<think>a</think>', '<think>a</think>\n'])(
  'N8: %j, which has no answer, is the answer',
  async (answer) => {
    for (const deltas of splits(answer)) {
      expect(await divide(deltas)).toMatchObject({ answer });
    }
  },
);

test('N8: reasoning is passed on while it arrives, and before the end', async () => {
  const { types } = await divide(['<think>', 'a', 'b', '</think>', 'c']);
  expect(types).toEqual(['reasoning-received', 'text-received', 'answer-finished']);
});

test('N8: the text of an answer that is cut while the model reasons is passed on', async () => {
  const divided = await divide(['<think>a', 'b</th'], new Error('cut'));
  expect(divided).toMatchObject({ answer: '<think>ab</th', thrown: 'cut' });
});
