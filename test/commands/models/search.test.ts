import { expect, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';
import { json } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

const published = [{ id: 'origin' }, { id: 'nextgen' }];
const foreign = { id: 'Other/Large', description: 'of another vendor', owner: 'acme' };

/** Searches the models of a service. @returns the output */
async function search(
  words: readonly string[],
  options: MemoryOptions = {},
  models: readonly object[] = [...published, foreign],
) {
  const server = await serve([[json(200, { data: models })]]);
  const environment = { NATTER_BASE_URL: server.url };
  const memory = createMemoryContext({ ...options, environment });
  await runProgram(memory.context, ['models', 'search', ...words]);
  return { stdout: memory.stdout(), stderr: memory.stderr() };
}

test.each([
  ['an id', 'other/l', ['Other/Large']],
  ['a purpose', 'VENDOR', ['Other/Large']],
  ['a purpose from the catalogue', 'most', ['origin', 'nextgen']],
  ['a window as a pipe shows it', '1000000', ['nextgen']],
  ['a window as a terminal shows it', '1,000,000', ['nextgen']],
  ['a latency', '18 ms', ['origin']],
])('a model is found by %s', async (_, text, ids) => {
  const { stdout, stderr } = await search([text, '--json']);
  expect((JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  expect(stderr).toBe('');
});

test('fields that the list does not show are not searched', async () => {
  await expect(search(['acme'])).rejects.toMatchObject({ kind: 'not_found' });
});

test('on a terminal, the hits are a table as in models list', async () => {
  const { stdout, stderr } = await search(['advanced', '--color', 'never'], {
    terminals: ['stdout'],
  });
  expect(stdout).toBe(
    [
      'ID          CONTEXT  LATENCY  PURPOSE',
      'nextgen  1,000,000*   20 ms*  most advanced model*',
      '',
    ].join('\n'),
  );
  expect(stderr).toContain('* taken from the published catalogue');
});

test('a text without a hit is not_found, and nothing is printed', async () => {
  await expect(search(['nowhere'])).rejects.toMatchObject({
    kind: 'not_found',
    message: 'no match for "nowhere" in 3 models',
    hint: 'natter models list shows the available models',
  });
});

test('if the service lists no models, the hint says so', async () => {
  await expect(search(['any'], {}, [])).rejects.toMatchObject({
    kind: 'not_found',
    message: 'no match for "any" in 0 models',
    hint: 'the service lists no models',
  });
});

test('an empty text is a usage failure', async () => {
  await expect(search([''])).rejects.toMatchObject({
    kind: 'usage',
    message: 'the search text is empty',
  });
});
