import { expect, test } from 'vitest';
import { noticeStream } from '../../src/output/notice-rows.ts';
import { createMemoryOutput } from '../support/memory-context.ts';

test('a pipe gets notices as they are', () => {
  const pipe = createMemoryOutput(false, 20);
  expect(noticeStream(pipe)).toBe(pipe);
});

test('a terminal gets long notices in rows, and texts in the order of the writes', async () => {
  const terminal = createMemoryOutput(true, 20);
  const stream = noticeStream(terminal);
  void stream.write('natter: one two three four\n');
  void stream.write('natter: short\n');
  void stream.write('| one two three four five six |\n');
  await stream.flush();
  void stream.write('at once\n');
  expect(terminal.text()).toBe(
    'natter: one two\n        three four\nnatter: short\n| one two three four five six |\nat once\n',
  );
});

test.each([
  'natter: it fits\n',
  'natter: debug: > POST /v1/chat/completions\n',
  '{"error": "one two three four"}\n',
])('a terminal gets at once: %j', (text) => {
  const terminal = createMemoryOutput(true, 20);
  void noticeStream(terminal).write(text);
  expect(terminal.text()).toBe(text);
});
