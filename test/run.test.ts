import { expect, test } from 'vitest';
import { present } from '../src/run.ts';
import { createMemoryContext } from './support/memory-context.ts';

const options = { color: 'auto', input: true } as const;

test.each([
  [{}, ''],
  [{ NATTER_DEBUG: '' }, ''],
  [{ NATTER_DEBUG: '1' }, 'natter: debug: a b\n'],
])('the debug log writes a line of clean text if it is enabled: %j', async (environment, text) => {
  const { context, stderr } = createMemoryContext({ environment });
  const { debugLog } = await present(context, options);
  debugLog('a\nb');
  expect(stderr()).toBe(text);
});
