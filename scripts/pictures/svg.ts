// An animated SVG without scripts: each span is visible during its lifetime. Programs that do not animate, and people
// who prefer reduced motion, see the last frame.
import type { Frame, Style } from './capture.ts';
import { spansOf, stepsOf, type Lifetime, type Span, type Step } from './spans.ts';

export interface Theme {
  readonly background: string;
  readonly foreground: string;
  /** Black, red, green, yellow, blue, magenta, cyan, white. */
  readonly palette: readonly string[];
}

export interface Picture {
  readonly frames: readonly Frame[];
  readonly columns: number;
  readonly rows: number;
  /** Read to people who do not see the picture. */
  readonly label: string;
}

/** Pixels of one unit of the picture; with it, a cell has whole numbers of units. */
const unit = 1.2;
const cellWidth = 7;
const lineHeight = 15;
/** From the top of a line to its baseline. */
const baseline = 11;
const fontSize = 14 / unit;
const padding = 14 / unit;
/** Milliseconds that the last frame is shown before the picture starts again. */
const rest = 4000;

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const short = (value: number) => String(Number(value.toFixed(2)));

function classAttribute({ color, bold, dim, italic, underline }: Style, more: string): string {
  const names = [
    more,
    color === undefined ? '' : `c${color}`,
    bold ? 'b' : '',
    dim ? 'd' : '',
    italic ? 'i' : '',
    underline ? 'u' : '',
  ].filter((name) => name !== '');
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`;
}

interface Appearance {
  /** `h`, or nothing. */
  readonly className: string;
  readonly animation: string;
}

const constant: Appearance = { className: '', animation: '' };

function drawSpan(
  { line, column, text, style }: Span,
  { className, animation } = constant,
): string {
  const trimmed = text.trimStart();
  const left = (column + text.length - trimmed.length) * cellWidth;
  const x = left === 0 ? '' : ` x="${left}"`;
  const y = line * lineHeight + baseline;
  // Fonts differ in the width of a cell; with one or two characters that is less than a pixel.
  const length = trimmed.length > 2 ? ` textLength="${trimmed.length * cellWidth}"` : '';
  return `<text${x} y="${y}"${classAttribute(style, className)}${length}${animation}>${escapeXml(trimmed)}</text>`;
}

/** Values of a property, each until a moment; after the last, the value without animation. */
interface Animation {
  readonly name: string;
  readonly values: readonly { readonly until: number; readonly value: string }[];
}

/** To a thousandth: a difference of less than two frames. */
const percentage = (at: number, duration: number) =>
  `${Number(((at / duration) * 100).toFixed(1))}%`;

function keyframes({ name, values }: Animation, duration: number): string {
  const rules = values.map(({ until, value }) => `${percentage(until, duration)}{${value}}`);
  return `@keyframes ${name}{${rules.join('')}}`;
}

const hidden = 'opacity:0';

/** Text that stays is hidden at first. Text that does not stay is hidden without animation too. */
function lifetimeAnimation(name: string, { from, to }: Lifetime): Animation {
  const before = { until: from, value: hidden };
  return {
    name,
    values: to === undefined ? [before] : [before, { until: to, value: 'opacity:1' }],
  };
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Short names: a to Z, a1 to Z1, and so on. */
const nameOf = (index: number) =>
  `${letters[index % letters.length]}${Math.floor(index / letters.length) || ''}`;

/** Spans that appear and disappear at once. */
function drawGroup(spans: readonly Span[], appearance: Appearance): string {
  const [first] = spans;
  if (first !== undefined && spans.length === 1) return drawSpan(first, appearance);
  const kind = appearance.className === '' ? '' : ` class="${appearance.className}"`;
  return `<g${kind}${appearance.animation}>${spans.map((span) => drawSpan(span)).join('')}</g>`;
}

/** Groups of spans that appear and disappear at once. */
function drawSpans(spans: readonly Span[], duration: number) {
  const groups = new Map<string, Span[]>();
  for (const span of spans) {
    const end = span.to === undefined ? '' : percentage(span.to, duration);
    const key = `${percentage(span.from, duration)} ${end}`;
    groups.set(key, [...(groups.get(key) ?? []), span]);
  }
  const drawn = [...groups.values()].map((group, index) => {
    const [first] = group;
    const name = nameOf(index);
    const lifetime = { from: first?.from ?? 0, to: first?.to };
    const className = lifetime.to === undefined ? '' : 'h';
    return {
      style: keyframes(lifetimeAnimation(name, lifetime), duration),
      body: drawGroup(group, { className, animation: ` style="animation-name:${name}"` }),
    };
  });
  return {
    styles: drawn.map(({ style }) => style),
    bodies: drawn.map(({ body }) => body),
  };
}

/** @param value of the animated property, at a step */
function moveAnimation<Value>(
  name: string,
  steps: readonly Step<Value>[],
  value: (step: Value) => string,
): Animation {
  const values = steps.slice(1).flatMap(({ at }, index) => {
    const before = steps[index];
    return before === undefined ? [] : [{ until: at, value: value(before.value) }];
  });
  return { name, values };
}

const pixels = (length: number) => (length === 0 ? '0' : `${length}px`);

function baseStyle({ foreground, palette }: Theme, duration: number): string {
  const colors = palette.map((color, index) => `.c${index}{fill:${color}}`);
  return [
    `text{fill:${foreground}}.b{font-weight:bold}.d{fill-opacity:.65}.i{font-style:italic}.u{text-decoration:underline}`,
    ...colors,
    `.h{${hidden}}g,text,.k{animation:${short(duration / 1000)}s step-start infinite}`,
  ].join('');
}

export function drawSvg(picture: Picture, theme: Theme): string {
  const { frames, columns, rows, label } = picture;
  const duration = (frames.at(-1)?.at ?? 0) + rest;
  const { styles, bodies } = drawSpans(spansOf(frames), duration);
  const tops = stepsOf(frames, ({ top }) => top);
  const scroll = moveAnimation(
    'scroll',
    tops,
    (top) => `transform:translate(0,${pixels(-top * lineHeight)})`,
  );
  const cursors = stepsOf(frames, ({ cursor }) => cursor);
  const end = cursors.at(-1)?.value ?? { line: 0, column: 0 };
  // Relative to its last place, which is an attribute: some programs know no property `translate`.
  const cursor = moveAnimation('cursor', cursors, ({ line, column }) => {
    const x = pixels((column - end.column) * cellWidth);
    return `translate:${x} ${pixels((line - end.line) * lineHeight)}`;
  });
  const moves = [scroll, cursor].map((animation) => keyframes(animation, duration));
  const [inner, height] = [columns * cellWidth, rows * lineHeight];
  const outer = [inner + 2 * padding, height + 2 * padding];
  const [width, pixelHeight] = outer.map((length) => Math.round(length * unit));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${outer.map(short).join(' ')}" width="${width}" height="${pixelHeight}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${short(fontSize)}" role="img" aria-label="${label}">
<style>${baseStyle(theme, duration)}
${[...moves, ...styles].join('')}
@media (prefers-reduced-motion:reduce){g,text,.k{animation:none}}</style>
<rect width="100%" height="100%" rx="${short(8 / unit)}" fill="${theme.background}"/>
<svg x="${short(padding)}" y="${short(padding)}" width="${inner}" height="${height}"><g transform="translate(0 ${-(tops.at(-1)?.value ?? 0) * lineHeight})" style="animation-name:scroll">
<rect class="k" transform="translate(${end.column * cellWidth} ${end.line * lineHeight})" style="animation-name:cursor" width="${cellWidth}" height="${lineHeight}" fill="${theme.foreground}" opacity=".45"/>
${bodies.join('')}
</g></svg>
</svg>
`;
}
