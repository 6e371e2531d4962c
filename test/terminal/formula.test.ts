import { expect, test } from 'vitest';
import { formulaRows } from '../../src/terminal/formula.ts';
import { fc } from '../support/properties.ts';
import { processorTime } from '../support/processor-time.ts';

const { raw } = String;

test.each([
  [raw`\alpha + \beta \le \Omega`, 'α + β ≤ Ω'],
  ['E=mc^2', 'E = mc²'],
  [raw`x_1 + x_{12}^{-1}`, 'x₁ + x₁₂⁻¹'],
  [raw`x_{i,j} + T_{\text{low}} + e^{i\pi} + x^Q`, 'x_(i,j) + T_low + e^(iπ) + x^Q'],
  [raw`\frac{1}{2} + \frac{a}{b} + \frac{a+b}{2c}`, '½ + a/b + (a+b)/2c'],
  [raw`\frac{a}{b}c + \frac{a}{b}^2`, '(a/b) c + (a/b)²'],
  [
    raw`\frac{1}{k}\ln\frac{a+b}{b+c} + \log_2 \frac{a}{b+c}`,
    '(1/k) ln ((a+b)/(b+c)) + log₂ (a/(b+c))',
  ],
  [raw`\frac{a}{b}\left(c\right) \frac{a}{b}\sqrt{c}\,\alpha`, '(a/b) (c) (a/b) √c α'],
  [raw`\frac{a}{b} = \frac{a}{b} \cdot c, \frac{1}{2}mv^2`, 'a/b = a/b · c, ½ mv²'],
  [
    raw`\int \frac{1}{x}\,dx + \frac{d}{dx} f + \frac{d^2}{dx^2} f`,
    '∫ 1/x dx + (d/dx) f + (d²/dx²) f',
  ],
  [raw`1/\frac{a}{b} + c \div \frac{a}{b} + 1/\frac{1}{2}`, '1/(a/b) + c ÷ (a/b) + 1/½'],
  [raw`T_{low}T_{high} + e^Qx`, 'T_(low)T_high + e^(Q)x'],
  [raw`\frac{n(n+1)}{2} + \frac{1}{n(n+1)}`, 'n(n+1)/2 + 1/(n(n+1))'],
  [raw`\sqrt{2} + \sqrt{x+1} + \sqrt[3]{8} + \sqrt[n]{x}`, '√2 + √(x+1) + ∛8 + ⁿ√x'],
  [raw`\sum_{i=1}^{n} i + \prod\limits_{k} k`, '∑ᵢ₌₁ⁿ i + ∏ₖ k'],
  [raw`\int_0^1 f(x)\,dx`, '∫₀¹ f(x) dx'],
  [raw`\lim_{x \to 0} \sin x / \log_2(n)`, 'lim_(x→0) sin x / log₂(n)'],
  [raw`\sin^2\theta`, 'sin² θ'],
  [raw`f: A \to B \implies a \mapsto b`, 'f: A → B ⟹ a ↦ b'],
  [raw`\forall x \in \mathbb{R}, \mathcal{L}(x) \neq \emptyset`, '∀ x ∈ ℝ, ℒ(x) ≠ ∅'],
  [raw`\hat{x} + \bar y + \vec{v} + \overline{z}`, 'x̂ + ȳ + v⃗ + z̄'],
  [raw`\left\{ a \right\} \left. b \right| \big( c \big)`, '{a} b | (c)'],
  [raw`\text{if } x > 0, \mathrm{d}x, \operatorname{rank} A`, 'if x > 0, dx, rank A'],
  [raw`90^\circ + f'(x) + f''`, '90° + f′(x) + f′′'],
  [raw`a \not= b, a \not\in B`, 'a ≠ b, a ∉ B'],
  [raw`a \bmod n, a \pmod{n}`, 'a mod n, a (mod n)'],
  [raw`\binom{n}{k} 5\% \$ \{ \} \_ \& \#`, '(n choose k) 5% $ {} _ & #'],
  [raw`\begin{pmatrix} a & b \\ c & d \end{pmatrix}`, '(a b; c d)'],
  [raw`f = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}`, 'f = {1 x > 0; 0 else'],
  [raw`\boxed{x} \quad \tag{1}`, '[x] (1)'],
  [raw`\partial f / \partial x`, '∂f / ∂x'],
])('X28: TeX as Unicode: %s', (tex, row) => {
  expect(formulaRows(tex)).toEqual([row.normalize('NFC')]);
});

test('X28: TeX as Unicode: the rows of an alignment have their relations below each other', () => {
  expect(formulaRows(raw`\begin{aligned} f(x) &= a \\ &\le b \end{aligned}.`)).toEqual([
    'f(x) = a',
    '     ≤ b.',
  ]);
});

test.each([
  raw`\foo`,
  raw`\xrightarrow{a}`,
  raw`\hat{xyz}`,
  raw`\overline{AB}`,
  raw`\frac{a`,
  'a}',
  'a & b',
  '^2',
  'x_',
  'x^',
  raw`\begin{tikzpicture}\end{tikzpicture}`,
  raw`\begin{align} a`,
  raw`\href{https://a.example}{b}`,
  '%',
  '',
  '{'.repeat(50) + '}'.repeat(50),
])('X28: %j stays TeX', (tex) => {
  expect(formulaRows(tex)).toBeUndefined();
});

const parts = fc.constantFrom(
  ...raw`\frac \sqrt { } ^ _ \alpha a 1 + & \\ \begin{cases} \end{cases} \left( \right) \hat \text{a} [ ] \not \sum ' ~ $ \ \begin{align} \end{align} = < `.split(
    ' ',
  ),
  ' ',
);

test('X28: any TeX is either converted without commands or left alone', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (tex) => {
      const rows = formulaRows(tex.join('')) ?? [];
      for (const row of rows) expect(row).not.toMatch(/\\[a-zA-Z]|\n/);
    }),
    { numRuns: 2000 },
  );
});

test.each(['{', raw`\frac`, raw`x^\hat`, raw`\begin{cases}`, raw`\left(`, raw`\not`, 'x_{a'])(
  'X28: a formula of many %j takes little time',
  async (part) => {
    const tex = part.repeat(4000 / part.length);
    expect(await processorTime(() => formulaRows(tex))).toBeLessThan(1000);
  },
);

test('fractions after a long text take little time', async () => {
  const tex = 'a'.repeat(2400) + raw`\frac{a}{b} `.repeat(130);
  const all = () => {
    for (let count = 0; count < 5; count += 1) expect(formulaRows(tex)).toBeDefined();
  };
  // About ten seconds if each looked at all of the text.
  expect(await processorTime(all)).toBeLessThan(1000);
});
