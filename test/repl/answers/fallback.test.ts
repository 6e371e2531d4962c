import { expect, test } from 'vitest';
import { pathOf } from '../../../src/conversation/tree.ts';
import {
  closingOf,
  lastPrompt,
  type PromptAndAnswer,
} from '../../../src/repl/conversations/position.ts';
import { Failure } from '../../../src/failure.ts';
import { failing, openMemorySession, type Reply, saying } from '../../support/memory-session.ts';

const down = failing(new Failure('server_error', 'the service failed (503)'));

const open = (...replies: readonly Reply[]) =>
  openMemorySession({ replies, environment: { NATTER_FALLBACK: 'nextgen' } });

const modelsOf = ({ requests }: ReturnType<typeof open>) => requests.map(({ model }) => model);

test('a prompt whose model fails is asked of the next one, and the conversation keeps its model', async () => {
  const memory = open(down, saying('blue'), saying('red'));
  const { settings } = await memory.submit('why?');
  expect(settings.model).toBe('origin');
  expect(memory.text()).toContain(
    'natter: origin: the service failed (503); falling back to nextgen\nnextgen: blue\n',
  );
  const conversation = memory.session.journal().conversation();
  const pair = lastPrompt(pathOf(conversation)) as PromptAndAnswer;
  expect(closingOf(conversation, pair)[0]?.facts[0]).toBe('nextgen after origin');
  expect(pair.answer).toMatchObject({
    content: 'blue',
    model: 'nextgen',
    nextModel: 'origin',
    profile: 'default',
    fallbackFrom: [{ model: 'origin', profile: 'default', reason: 'server_error' }],
  });
  await memory.submit('/retry');
  expect(modelsOf(memory)).toEqual(['origin', 'nextgen', 'origin']);
});

test('if all models fail, one failure names both, and the prompt comes back', async () => {
  const refused = failing(new Failure('unauthorized', 'the key was refused', { status: 401 }));
  const memory = open(down, refused);
  const state = await memory.submit('why?');
  // The key that a dialog would ask for is that of the first model.
  expect(state.dialog).toBeUndefined();
  expect(state.composer.text).toBe('why?');
  expect(memory.text()).toContain(
    'nextgen: the key was refused; before that, origin: the service failed (503)',
  );
  expect(pathOf(memory.session.journal().conversation()).at(-1)).toMatchObject({
    failure: 'unauthorized',
    model: 'nextgen',
  });
});

test.each([
  ['after text', [failing(new Failure('server_error', 'cut'), 'bl')], 'why?', ['origin']],
  ['for /retry MODEL', [saying('a'), down], '/retry other', ['origin', 'other']],
  ['for /compare', [saying('a'), down], '/compare other', ['origin', 'other']],
  [
    'for a refused prompt',
    [failing(new Failure('invalid_request', 'bad (400)'))],
    'why?',
    ['origin'],
  ],
] as const)('no other model is asked %s', async (_when, replies, line, models) => {
  const memory = open(...replies);
  await memory.submit('why?');
  if (line !== 'why?') await memory.submit(line);
  expect(modelsOf(memory)).toEqual(models);
});

test('a cut answer is continued by its own model', async () => {
  const memory = open(failing(new Failure('incomplete', 'cut'), 'bl'), down);
  await memory.submit('why?', '/continue');
  expect(modelsOf(memory)).toEqual(['origin', 'origin']);
});
