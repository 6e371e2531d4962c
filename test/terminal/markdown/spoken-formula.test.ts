import { describe, expect, test } from 'vitest';
import { speak, spoken } from './speak.ts';

describe('mathematics is read as TeX', () => {
  test.each([
    ['$E = mc^2$', 'E = mc^2'],
    ['\\(\\frac{a}{b}\\)', '\\frac{a}{b}'],
    ['$x_1$ and $x_2$ are *not* $y_1 * y_2$', 'x_1 and x_2 are not y_1 * y_2'],
    ['from 5$ to 10$', 'from 5$ to 10$'],
  ])('%s', async (source, text) => {
    expect(await spoken(source)).toBe(`${text}\n`);
  });

  test('in blocks, on one line', async () => {
    expect(await spoken('$$\n\\sum_{i=1}^{n}\n  i\n$$\nafter')).toBe(
      'formula: \\sum_{i=1}^{n} i\nafter\n',
    );
  });

  test.each([
    ['$$ is the **process id**\n\nNext.', '$$ is the process id\n\nNext.\n'],
    ['- $$\n  x^2\n\nafter', 'bullet: $$\nx^2\n\nafter\n'],
    ['$$\nx\n\n# Title', '$$\nx\n\nHeading 1: Title\n'],
  ])('a formula without an end is text: %j', async (source, text) => {
    expect(await spoken(source)).toBe(text);
  });

  test('a long displayed formula is written as it arrives', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `x${index}\n`);
    const outputs = await speak(['$$\n', ...lines, '$$\n', 'after']);
    expect(outputs[999]).toBe('\nx997');
    expect(outputs.join('')).toBe(`$$\n${lines.join('')}$$\nafter\n`);
  });

  test('a long formula in a line is text', async () => {
    const source = `$$${'\\sqrt'.repeat(20_000)}$$`;
    const text = await spoken(`# ${source}`);
    expect(text.length).toBe(`Heading 1: ${source}\n`.length);
  });
});
