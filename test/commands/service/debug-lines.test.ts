import { expect, test } from 'vitest';
import { describeEvent } from '../../../src/commands/service/debug-lines.ts';

test('the debug log has no lines for the deltas of an answer', () => {
  expect(describeEvent({ type: 'text-received', text: 'a', deltas: ['a'] }, 1)).toBeUndefined();
});
