// Mathematics in TeX as rows of Unicode. A formula with anything unknown is left as TeX.
import { pairsIn } from './text/pairs.ts';
import { displayWidth, padToWidth } from './text/width.ts';

// TeX commands and the characters they are.

/** Letters and signs without spaces around them. */
const symbols = pairsIn(`
  alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
  nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
  Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
  infty ∞ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘ imath ı jmath ȷ
  forall ∀ exists ∃ nexists ∄ emptyset ∅ varnothing ∅ top ⊤ bot ⊥ angle ∠ triangle △ square □ Box □
  degree ° circ ∘ bullet • star ⋆ ast ∗ dagger † ddagger ‡ prime ′ checkmark ✓ S § copyright © pounds £
  ldots … dots … dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ colon :
  langle ⟨ rangle ⟩ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lvert | rvert | lVert ‖ rVert ‖ vert | Vert ‖ lbrace { rbrace }
  lbrack [ rbrack ] backslash \\ % % $ $ # # _ _ & & { { } } | ‖
`);

/** Signs directly before what they belong to. */
const prefixes = pairsIn('partial ∂ nabla ∇ neg ¬ lnot ¬');

/** Operators whose limits are their sub- and superscript. */
const operators = pairsIn(`
  sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀
`);

/** Relations, arrows and binary operators, which have a space on both sides. */
const relations = pairsIn(`
  le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ ll ≪ gg ≫ approx ≈ equiv ≡ cong ≅ sim ∼ simeq ≃ propto ∝
  in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ subsetneq ⊊ nsubseteq ⊈ sqsubseteq ⊑ prec ≺ succ ≻
  preceq ⪯ succeq ⪰ mid ∣ nmid ∤ parallel ∥ perp ⊥ models ⊨ vdash ⊢ doteq ≐ triangleq ≜ coloneqq ≔ lt < gt >
  to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸
  iff ⟺ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵ Longrightarrow ⟹ Longleftarrow ⟸ longmapsto ⟼ hookrightarrow ↪
  uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ rightharpoonup ⇀ rightleftharpoons ⇌ leadsto ⇝ nearrow ↗
  searrow ↘ times × div ÷ cdot · pm ± mp ∓ cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕ ominus ⊖ otimes ⊗
  odot ⊙ therefore ∴ because ∵ bmod mod
`);

const functionNames =
  'sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp max min sup inf lim limsup liminf ' +
  'det dim ker deg gcd lcm arg hom Pr argmax argmin mod';

/** Combining characters, after each character of the argument. */
const accents = pairsIn(`
  hat \u0302 widehat \u0302 bar \u0304 overline \u0304 underline \u0332 vec \u20d7 dot \u0307 ddot \u0308 tilde \u0303
  widetilde \u0303 check \u030c breve \u0306 acute \u0301 grave \u0300 mathring \u030a
`);

const charactersOf = (from: string, to: string): ReadonlyMap<string, string> => {
  const targets = Array.from(to);
  return new Map(Array.from(from, (character, index) => [character, targets[index] ?? '']));
};

const superscripts = charactersOf(
  '0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδθιφχ′∗*∘°†⊤',
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᶿᶥᵠᵡ′**°°†ᵀ',
);
const subscripts = charactersOf(
  '0123456789+-=()aehijklmnoprstuvxβγρφχ',
  '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ',
);

const doubleStruck = pairsIn('C ℂ E 𝔼 H ℍ K 𝕂 N ℕ P ℙ Q ℚ R ℝ Z ℤ F 𝔽 D 𝔻 S 𝕊 T 𝕋 1 𝟙');
const script = pairsIn(
  'A 𝒜 B ℬ C 𝒞 D 𝒟 E ℰ F ℱ G 𝒢 H ℋ I ℐ J 𝒥 K 𝒦 L ℒ M ℳ N 𝒩 O 𝒪 P 𝒫 Q 𝒬 R ℛ S 𝒮 T 𝒯 U 𝒰 V 𝒱 W 𝒲 X 𝒳 Y 𝒴 Z 𝒵',
);

const fractions = pairsIn(
  '1/2 ½ 1/3 ⅓ 2/3 ⅔ 1/4 ¼ 3/4 ¾ 1/5 ⅕ 2/5 ⅖ 3/5 ⅗ 4/5 ⅘ 1/6 ⅙ 5/6 ⅚ 1/8 ⅛ 3/8 ⅜ 5/8 ⅝ 7/8 ⅞',
);

const negated = pairsIn('= ≠ ∈ ∉ ⊂ ⊄ ⊆ ⊈ ≡ ≢ ∃ ∄ ∼ ≁ ≈ ≉ < ≮ > ≯ ≤ ≰ ≥ ≱ ∣ ∤ ∥ ∦');

const maxLength = 4000;
/** Hostile formulas nest deeper. */
const maxDepth = 30;

const notUnicode = new Error('a part of the formula has no Unicode form');

function fail(): never {
  throw notUnicode;
}

/** A formula that is read from left to right. */
interface Reader {
  readonly source: string;
  at: number;
  depth: number;
  /** The depth of the innermost environment, in which `&` ends a cell and `\\` a row. */
  cellDepth: number | undefined;
}

/** `$…$`, `$$…$$`, `\(…\)` and `\[…\]` without their marks; an environment as it is. */
export function withoutMarks(source: string): string {
  const [, double, single] = /^(?:\$\$([^]*)\$\$|\$([^]*)\$)$/.exec(source) ?? [];
  const [, round] = /^\\[([]([^]*)\\[)\]]$/.exec(source) ?? [];
  return double ?? single ?? round ?? source;
}

/** The Unicode rows of a formula; undefined if a part of it has none. */
export function formulaRows(formula: string): readonly string[] | undefined {
  const source = withoutMarks(formula);
  if (source.length > maxLength) return undefined;
  const reader: Reader = { source, at: 0, depth: 0, cellDepth: undefined };
  try {
    const rows = cellsOf(readUntil(reader, ''));
    const aligned = rows.flatMap(([first = '', ...others]) => (others.length > 0 ? [first] : []));
    const width = Math.max(0, ...aligned.map(displayWidth));
    // Their relations are below each other.
    const shown = rows.map(([first = '', ...others]) =>
      others.length === 0 ? first : `${padToWidth(first, width, 'right')} ${others.join(' ')}`,
    );
    return shown.length === 0 ? undefined : shown;
  } catch (error) {
    if (error === notUnicode) return undefined;
    throw error;
  }
}

/** The cells of the rows that have any text, with single spaces, and none inside brackets. */
function cellsOf(text: string): readonly (readonly string[])[] {
  const tidy = (cell: string) =>
    cell
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/([([{⟨⌊⌈]) /g, '$1')
      .replaceAll(/ (?=[)\]}⟩⌋⌉,;])/g, '')
      .trim();
  return text
    .split('\n')
    .map((row) => row.split('\t').map(tidy))
    .filter((cells) => cells.some((cell) => cell !== ''));
}

/** What a sticky pattern finds at the place of the reader. */
function lookAt({ source, at }: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

/** Reads what a sticky pattern finds, or its group; undefined if it finds nothing. */
function take(reader: Reader, pattern: RegExp): string | undefined {
  const found = lookAt(reader, pattern);
  reader.at += found?.[0].length ?? 0;
  return found?.[1] ?? found?.[0];
}

const skipSpaces = (reader: Reader) => take(reader, /\s*/y);

/** The text up to `end`, which is skipped; up to the end of the formula if it is empty. */
function readUntil(reader: Reader, end: string): string {
  reader.depth += 1;
  if (reader.depth > maxDepth) fail();
  let text = '';
  const isEnd = () => end !== '' && reader.source.startsWith(end, reader.at);
  while (reader.at < reader.source.length && !isEnd()) text += readPart(reader, text);
  if (end !== '' && !isEnd()) fail();
  reader.at += end.length;
  reader.depth -= 1;
  return text;
}

function readPart(reader: Reader, before: string): string {
  if (take(reader, /\s+/y) !== undefined) return ' ';
  const character = take(reader, /[^]/uy) ?? '';
  switch (character) {
    case '\\':
      return (commands.get(take(reader, /[a-zA-Z]+\*?|[^]/y) ?? '') ?? fail())(reader, before);
    case '{':
      return readUntil(reader, '}');
    case '^':
    case '_': {
      if (before === '') return fail();
      const text = readArgument(reader);
      return raise(text, character, lookAt(reader, /[\p{L}\p{N}]/uy) !== null);
    }
    case "'":
      return '′';
    case '~':
      return ' ';
    case '=':
      return ' = ';
    case '&':
      return reader.depth === reader.cellDepth ? '\t' : fail();
    case '}':
    case '$':
    case '%':
    case '#':
      return fail();
    default:
      return character;
  }
}

/** A group, a command, or one character. */
function readArgument(reader: Reader): string {
  skipSpaces(reader);
  const character = take(reader, /[^}^_&$%#]/uy) ?? fail();
  if (character === '{') return readUntil(reader, '}').trim();
  if (character !== '\\') return character;
  const name = take(reader, /[a-zA-Z]+|[^]/y) ?? '';
  // A command that needs an argument of its own fails.
  return readUntil({ ...reader, source: `\\${name}`, at: 0 }, '').trim();
}

/** A group as it is written. */
const readRawGroup = (reader: Reader) => take(reader, /\s*\{([^{}\\$]*)\}/y) ?? fail();

/** `[…]` as it is written; empty without it. */
const readOption = (reader: Reader) => take(reader, /\s*\[([^\]{}\\]*)\]/y)?.trim() ?? '';

/** Reads what follows a command, whose name is read already. @param before the row so far */
type ReadCommand = (reader: Reader, before: string) => string;

const allOf = (names: string, read: ReadCommand) =>
  names.split(' ').map((name) => [name, read] as const);

const eachOf = (meanings: ReadonlyMap<string, string>, reading: (meaning: string) => ReadCommand) =>
  Array.from(meanings, ([name, meaning]) => [name, reading(meaning)] as const);

/** The keys are the names of commands without their backslash. */
const commands: ReadonlyMap<string, ReadCommand> = new Map([
  ...eachOf(relations, (sign) => () => ` ${sign} `),
  ...eachOf(symbols, (sign) => () => sign),
  ...eachOf(prefixes, (sign) => (reader) => {
    skipSpaces(reader);
    return sign;
  }),
  ...eachOf(operators, (sign) => (reader) => sign + readLimits(reader)),
  ...functionNames.split(' ').flatMap((name) => allOf(name, (reader) => name + readLimits(reader))),
  ...eachOf(accents, (accent) => (reader) => {
    const letter = readArgument(reader);
    return Array.from(letter).length === 1 ? (letter + accent).normalize('NFC') : fail();
  }),
  ...allOf(', ; : > enspace thinspace', () => ' '),
  [' ', () => ' '],
  ['\n', () => ' '],
  ...allOf('quad qquad', () => '  '),
  ['!', () => ''],
  ...allOf('frac dfrac tfrac cfrac', readFraction),
  ...allOf('binom dbinom tbinom', (reader) => {
    return `(${readArgument(reader)} choose ${readArgument(reader)})`;
  }),
  [
    '\\',
    (reader) => {
      readOption(reader);
      if (reader.depth === reader.cellDepth) return '\n';
      return reader.depth > 1 ? fail() : '; ';
    },
  ],
  ['begin', readEnvironment],
  ['sqrt', readRoot],
  ['not', (reader) => ` ${negated.get(readArgument(reader)) ?? fail()} `],
  ['boxed', (reader) => `[${readArgument(reader)}]`],
  ['pmod', (reader) => ` (mod ${readArgument(reader)})`],
  ['tag', (reader) => `  (${readRawGroup(reader)})`],
  ['label', (reader) => readRawGroup(reader) && ''],
  ['mathbb', (reader) => readLetters(reader, doubleStruck)],
  ...allOf('mathcal mathscr', (reader) => readLetters(reader, script)),
  ...allOf('text textrm textbf textit mbox', readRawGroup),
  ...allOf('operatorname operatorname*', (reader) => readRawGroup(reader) + readLimits(reader)),
  // Commands that only change the look or the size of what follows.
  ...allOf('mathrm mathbf mathit mathsf mathtt mathfrak mathnormal boldsymbol bm', readArgument),
  ...allOf('mathop mathrel mathbin underbrace overbrace', readArgument),
  ...allOf('displaystyle textstyle scriptstyle limits nolimits nonumber notag', () => ''),
  ...allOf('big bigl bigr bigm Big Bigl Bigr Bigm bigg biggl biggr biggm', () => ''),
  ...allOf('Bigg Biggl Biggr Biggm', () => ''),
  // `\left.` has no delimiter.
  ...allOf('left right', (reader) => {
    take(reader, /\s*\.?/y);
    return '';
  }),
]);

function readLetters(reader: Reader, letters: ReadonlyMap<string, string>): string {
  return Array.from(readArgument(reader), (letter) => letters.get(letter) ?? fail()).join('');
}

/**
 * The text in raised or lowered characters if all of it has them, else after its mark.
 * @param isFollowed a letter or digit follows directly
 */
function raise(text: string, mark: string, isFollowed = false): string {
  const characters = mark === '^' ? superscripts : subscripts;
  const compact = text.replaceAll(' ', '');
  const raised = Array.from(compact, (character) => characters.get(character));
  if (raised.every((character) => character !== undefined)) return raised.join('');
  const needsNone = mark === '_' ? /^\p{L}+$/u : /^(?:\p{L}\p{M}*|[∞∗])$/u;
  return needsNone.test(text) && !isFollowed ? mark + text : `${mark}(${compact})`;
}

/** The sub- and superscript of an operator or function, and the space before its argument. */
function readLimits(reader: Reader): string {
  let limits = '';
  for (;;) {
    const { at } = reader;
    skipSpaces(reader);
    if (take(reader, /\\(?:no)?limits/y) !== undefined) continue;
    const mark = take(reader, /[_^]/y);
    if (mark !== undefined) limits += raise(readArgument(reader), mark);
    else {
      if (lookAt(reader, /[\p{L}\p{N}]|\\[a-zA-Z]/uy) !== null) return `${limits} `;
      reader.at = at;
      return limits;
    }
  }
}

const roots = pairsIn('2 √ 3 ∛ 4 ∜');

function readRoot(reader: Reader): string {
  const degree = readOption(reader) || '2';
  const root = roots.get(degree) ?? `${raise(degree, '^')}√`;
  const text = readArgument(reader);
  return root + (Array.from(text).length === 1 ? text : `(${text})`);
}

/** Characters of what is before a fraction; all of them for each fraction would take quadratic time. */
const maxBefore = 60;
/** The name of a function with its limits, or a division. */
const operatorBefore = /(?:[a-z]{2,}[^a-z\s]* |[/÷]\s*)$/;
/** A letter, a number or an opening bracket, not the `dx` of an integral, or a command. */
const factorAfter = /(?:\s|~|\\[,;:! ])*(?:(?!d\p{L})[\p{L}\p{N}([]|\\([a-zA-Z]+))/uy;
/** A number, a word, a root, a group, a function or a product, which needs no parentheses. */
const simple = /^√?(?:[\p{L}\p{N}\p{M}∞∂∇′]+|\([^()]*\)|\|[^|]*\|)$/u;
const product = /^[\p{L}\p{N}\p{M}∂]+\([^()]*\)$/u;

/** A fraction after a division or a function, or before a factor, needs parentheses: `1/(a/b)`, `(a/b) c`. */
function readFraction(reader: Reader, before: string): string {
  const above = readArgument(reader);
  const below = readArgument(reader);
  const over = simple.test(above) || product.test(above) ? above : `(${above})`;
  const under = simple.test(below) ? below : `(${below})`;
  const text = fractions.get(`${above}/${below}`) ?? `${over}/${under}`;
  if (lookAt(reader, /[_^]/y) !== null) return `(${text})`;
  if (text.includes('/')) {
    if (operatorBefore.test(before.slice(-maxBefore))) return `(${text})`;
    const [factor, name = ''] = lookAt(reader, factorAfter) ?? [];
    const isOther = relations.has(name) || name === 'right' || name === 'end';
    if (factor !== undefined && !isOther) return `(${text}) `;
  }
  return lookAt(reader, /[\p{L}\p{N}(\\]/uy) === null ? text : `${text} `;
}

/** What is around the rows of an environment, without its point. */
const brackets = pairsIn(
  'matrix (.) smallmatrix (.) pmatrix (.) bmatrix [.] Bmatrix {.} vmatrix |.| Vmatrix ‖.‖ array . cases {.',
);

const alignments =
  /^(?:align|aligned|alignat|gather|gathered|equation|split|multline|eqnarray)\*?$/;

/** An environment, after `\begin`: a matrix on one line, or rows that are aligned. */
function readEnvironment(reader: Reader): string {
  const name = readRawGroup(reader);
  const pair = brackets.get(name);
  if (pair === undefined && !alignments.test(name)) return fail();
  if (name === 'array') take(reader, /\s*\{[clr|\s]*\}/y);
  const { cellDepth } = reader;
  reader.cellDepth = reader.depth + 1;
  const text = readUntil(reader, `\\end{${name}}`);
  reader.cellDepth = cellDepth;
  if (pair === undefined && reader.depth === 1) return text.trimEnd();
  const rows = cellsOf(text).map((cells) => cells.join(' '));
  return (pair ?? '.').split('.').join(rows.join('; '));
}
