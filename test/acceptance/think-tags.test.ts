import { expect, test } from 'vitest';
import { pathOf } from '../../src/conversation/tree.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { delta, done, stream } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const prompt = '[sandbox echo]<think>hm</think>\n\nyes';

test('N8: a pipe gets the answer without its reasoning, which the conversation keeps', async () => {
  const data = createDataFolder();
  const { code, stdout, stderr } = await data.run(['--sandbox', prompt]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'yes\n' });
  expect(stderr.match(/the reasoning \(<think>\) of the answer is not shown/g)).toHaveLength(1);
  expect(pathOf(data.only())[1]).toMatchObject({
    thought: '<think>hm</think>\n\n',
    content: 'yes',
  });
  expect(await data.run(['last'])).toMatchObject({ code: 0, stdout: 'yes\n' });
});

test.each([
  [['--raw'], {}, '<think>hm</think>\n\nyes'],
  [[], { NATTER_THINK_TAGS: 'answer' }, '<think>hm</think>\n\nyes\n'],
])('N8: with %j and %j the reasoning is a part of the answer', async (flags, env, shown) => {
  const { stdout, stderr } = await runInMemory(['--sandbox', ...flags, prompt], { env });
  expect({ stdout, stderr }).toEqual({ stdout: shown, stderr: '' });
});

test('N8: --reasoning shows the reasoning on standard error', async () => {
  const { stdout, stderr } = await runInMemory(['--sandbox', '--reasoning', prompt]);
  expect({ stdout, stderr }).toEqual({ stdout: 'yes\n', stderr: 'hm\n' });
});

test('N8: --schema checks the answer without its reasoning', async () => {
  const server = await serve([stream(delta('<think>{'), delta('}</think>{"a": 1}'), done)]);
  const { code, stdout } = await runInMemory(['--schema', 'a int', 'hi'], {
    env: serviceAt(server),
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"a": 1}\n' });
});
