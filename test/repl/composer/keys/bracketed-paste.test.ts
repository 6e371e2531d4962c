import { describe, expect, test } from 'vitest';
import { type KeyEvent, joinPasteBurst } from '../../../../src/repl/composer/keys/key-event.ts';
import { KeyParser } from '../../../../src/repl/composer/keys/key-parser.ts';
import { processorTime } from '../../../support/processor-time.ts';
import { inPaste, parse, formatEvents } from './format-events.ts';

describe('bracketed paste', () => {
  test.each([
    ['several lines', 'a\rb\r\nc\nd', 'paste "a\\nb\\nc\\nd"'],
    ['nothing', '', 'paste ""'],
    ['tabs', '\tx', 'paste "\\tx"'],
    ['escape sequences unchanged', '\u001B[31mred\u0003', 'paste "\\u001b[31mred\\u0003"'],
    ['line ends in the kitty protocol', 'a\u001B[13ub\u001B[106;5uc', 'paste "a\\nb\\nc"'],
    [
      'key presses and releases in the kitty protocol',
      'a\u001B[13;1:1u\u001B[13;1:3ub',
      'paste "a\\nb"',
    ],
    ['line ends in modifyOtherKeys', 'a\u001B[27;5;106~b\u001B[27;5;109~c', 'paste "a\\nb\\nc"'],
    ['tabs in the kitty protocol', 'a\u001B[9ub\u001B[105;5uc', 'paste "a\\tb\\tc"'],
    ['text around focus reports', 'one\u001B[O two\u001B[I', 'paste "one two"'],
    ['text around mouse reports', 'one\u001B[<35;10;20M\u001B[<0;1;1m two', 'paste "one two"'],
  ])('contains %s', (_, text, events) => {
    expect(parse(inPaste(text))).toBe(events);
  });

  test('is one event between the keys around it', () => {
    expect(parse(`a${inPaste('b\r')}\r`)).toBe('"a" paste "b\\n" <enter>');
  });

  test('P22 reads a megabyte with escapes quickly and completely', async () => {
    const text = '\u001B[1mbold\u001B[0m \u0007\u0003\u001B'.repeat(50_000);
    let events: readonly KeyEvent[] = [];
    const taken = await processorTime(() => {
      events = new KeyParser().feed(Buffer.from(inPaste(text)));
    });
    expect(taken).toBeLessThan(1000);
    expect(events).toEqual([{ type: 'paste', text }]);
  });

  test('reads 10,000 lines in small chunks in under half a second', async () => {
    const text = Array.from({ length: 10_000 }, (_, index) => `line ${index} äöü`).join('\r');
    const bytes = Buffer.from(inPaste(text));
    const parser = new KeyParser();
    const events: KeyEvent[] = [];
    const taken = await processorTime(() => {
      for (let at = 0; at < bytes.length; at += 1023) {
        events.push(...parser.feed(bytes.subarray(at, at + 1023)));
      }
    });
    expect(taken).toBeLessThan(500);
    expect(events).toEqual([{ type: 'paste', text: text.replaceAll('\r', '\n') }]);
  });
});

describe('joinPasteBurst', () => {
  function burst(input: string): string {
    return formatEvents(joinPasteBurst(new KeyParser().feed(input)));
  }

  test('joins the lines of a paste without brackets', () => {
    expect(burst('one\r\ttwo\rthree\r')).toBe('paste "one\\n\\ttwo\\nthree\\n"');
  });

  test.each([
    ['a line and Enter', 'one\r', '"one" <enter>'],
    ['Enter alone', '\r\r', '<enter> <enter>'],
    ['text with other keys', 'a\r\u001B[Ab', '"a" <enter> <up> "b"'],
    ['text', 'abc', '"abc"'],
  ])('does not change %s', (_, input, events) => {
    expect(burst(input)).toBe(events);
  });
});
