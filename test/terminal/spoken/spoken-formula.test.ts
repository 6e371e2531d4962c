import { describe, expect, test } from 'vitest';
import { speak, spoken } from './speak.ts';

describe('mathematics is read in words', () => {
  test.each([
    ['$E = mc^2$', 'E equals m c squared'],
    ['$x_1^3 \\le 2.5$', 'x sub 1 cubed is at most 2.5'],
    ['\\(\\frac{a}{b}\\)', 'a over b'],
    ['\\(\\frac{a+1}{b}\\)', 'the fraction a plus 1 over b, end of fraction'],
    [
      '$\\sqrt{x}$ and $\\sqrt[3]{x+1}$',
      'the square root of x and root 3 of x plus 1, end of root',
    ],
    ['$\\alpha \\in \\mathbb{R}$', 'alpha is in R'],
    ['$\\lim_{x \\to 0} f(x)$', 'the limit over x to 0 of f of x'],
    ['$\\text{speed} = 3\\,\\mathrm{m}$', 'speed equals 3 m'],
    ['$90^\\circ$, $2^{n-1}$', '90 degrees, 2 to the power of n minus 1, end of power'],
    ['$\\vec{v} \\cdot \\hat{n}$', 'the vector v times n hat'],
    ['$\\unknown{x} 𝒳$', 'unknown x 𝒳'],
  ])('%s', async (source, text) => {
    expect(await spoken(source)).toBe(`${text}\n`);
  });

  test('in blocks, on one line', async () => {
    expect(await spoken('$$\n\\sum_{i=1}^{n} i\n$$\nafter')).toBe(
      'formula: the sum from i equals 1 to n of i\nafter\n',
    );
    const matrix = '\\[\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}\\]';
    expect(await spoken(matrix)).toBe('formula: the matrix a, b; c, d, end of matrix\n');
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
    expect(outputs[999]).toBe('x998\n');
    expect(outputs.join('')).toBe(`$$\n${lines.join('')}$$\nafter\n`);
  });

  test('a long formula in a line is text', async () => {
    const source = `$$${'\\sqrt'.repeat(20_000)}$$`;
    const text = await spoken(`# ${source}`);
    expect(text.length).toBe(`Heading 1: ${source}\n`.length);
  });
});
