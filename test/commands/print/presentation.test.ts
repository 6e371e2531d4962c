import { expect, test } from 'vitest';
import { createDebugLog } from '../../../src/commands/print/presentation.ts';
import { createMemoryOutput } from '../../support/memory-context.ts';

test('the debug log writes nothing unless it is enabled', () => {
  const stderr = createMemoryOutput();
  createDebugLog({ stderr, enabled: false, clean: (text) => text })('a');
  createDebugLog({ stderr, enabled: true, clean: (text) => text.toUpperCase() })('b');
  expect(stderr.text()).toBe('natter: debug: B\n');
});
