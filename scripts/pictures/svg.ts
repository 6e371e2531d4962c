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

const cellWidth = 8.4;
const lineHeight = 18;
const padding = 14;
/** Milliseconds that the last frame is shown before the picture starts again. */
const rest = 4000;

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const short = (value: number) => String(Number(value.toFixed(2)));

function classesOf({ color, bold, dim, italic, underline }: Style): string {
  const names = [
    color === undefined ? '' : `c${color}`,
    bold ? 'b' : '',
    dim ? 'd' : '',
    italic ? 'i' : '',
    underline ? 'u' : '',
  ].filter((name) => name !== '');
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`;
}

function drawSpan({ line, column, text, style }: Span): string {
  const trimmed = text.trimStart();
  const x = short((column + text.length - trimmed.length) * cellWidth);
  const y = line * lineHeight + 13;
  const length = trimmed.length > 1 ? ` textLength="${short(trimmed.length * cellWidth)}"` : '';
  return `<text x="${x}" y="${y}"${classesOf(style)}${length}>${escapeXml(trimmed)}</text>`;
}

interface Animation {
  readonly name: string;
  /** What the property is before the first step. */
  readonly start: string;
  readonly steps: readonly Step<string>[];
}

function keyframes({ name, start, steps }: Animation, duration: number): string {
  const [first] = steps;
  const all = first !== undefined && first.at <= 0 ? steps : [{ at: 0, value: start }, ...steps];
  const rules = all.map(({ at, value }) => `${short((at / duration) * 100)}%{${value}}`);
  return `@keyframes ${name}{${rules.join('')}}.${name}{animation-name:${name}}`;
}

const hidden = 'visibility:hidden';
const visible = 'visibility:visible';

function lifetimeAnimation(name: string, { from, to }: Lifetime): Animation {
  const end = to === undefined ? [] : [{ at: to, value: hidden }];
  return { name, start: hidden, steps: [{ at: from, value: visible }, ...end] };
}

/** Groups of spans that appear and disappear at once. */
function drawSpans(spans: readonly Span[], duration: number) {
  const groups = new Map<string, Span[]>();
  for (const span of spans) {
    const key = `${span.from} ${span.to}`;
    groups.set(key, [...(groups.get(key) ?? []), span]);
  }
  const drawn = [...groups.values()].map((group, index) => {
    const [first] = group;
    const name = `t${index}`;
    const lifetime = { from: first?.from ?? 0, to: first?.to };
    const kind = lifetime.to === undefined ? `a ${name}` : `a h ${name}`;
    return {
      style: keyframes(lifetimeAnimation(name, lifetime), duration),
      body: `<g class="${kind}">${group.map(drawSpan).join('')}</g>`,
    };
  });
  return {
    styles: drawn.map(({ style }) => style),
    bodies: drawn.map(({ body }) => body),
  };
}

function moveAnimation<Value>(
  name: string,
  steps: readonly Step<Value>[],
  position: (value: Value) => readonly [number, number],
) {
  const move = (value: Value) =>
    position(value)
      .map((length) => `${short(length)}px`)
      .join(',');
  const last = steps.at(-1);
  const [x, y] = last === undefined ? [0, 0] : position(last.value);
  return {
    animation: {
      name,
      start: 'transform:none',
      steps: steps.map(({ at, value }) => ({ at, value: `transform:translate(${move(value)})` })),
    },
    attribute: `transform="translate(${short(x)} ${short(y)})"`,
  };
}

function baseStyle({ foreground, palette }: Theme, duration: number): string {
  const colors = palette.map((color, index) => `.c${index}{fill:${color}}`);
  return [
    `text{fill:${foreground}}.b{font-weight:bold}.d{opacity:.65}.i{font-style:italic}.u{text-decoration:underline}`,
    ...colors,
    `.h{${hidden}}.a{animation:${short(duration / 1000)}s step-end infinite}`,
  ].join('');
}

export function drawSvg(picture: Picture, theme: Theme): string {
  const { frames, columns, rows, label } = picture;
  const duration = (frames.at(-1)?.at ?? 0) + rest;
  const { styles, bodies } = drawSpans(spansOf(frames), duration);
  const scroll = moveAnimation(
    's',
    stepsOf(frames, ({ top }) => top),
    (top) => [0, -top * lineHeight],
  );
  const cursor = moveAnimation(
    'k',
    stepsOf(frames, (frame) => frame.cursor),
    ({ line, column }) => [column * cellWidth, line * lineHeight],
  );
  const moves = [scroll, cursor].map(({ animation }) => keyframes(animation, duration));
  const [inner, height] = [columns * cellWidth, rows * lineHeight];
  const [outerWidth, outerHeight] = [inner + 2 * padding, height + 2 * padding].map(short);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${outerWidth} ${outerHeight}" width="${outerWidth}" height="${outerHeight}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" role="img" aria-label="${label}">
<style>${baseStyle(theme, duration)}
${[...moves, ...styles].join('\n')}
@media (prefers-reduced-motion:reduce){.a{animation:none}}</style>
<rect width="100%" height="100%" rx="8" fill="${theme.background}"/>
<svg x="${padding}" y="${padding}" width="${short(inner)}" height="${height}"><g class="a s" ${scroll.attribute}>
<rect class="a k" ${cursor.attribute} width="${cellWidth}" height="${lineHeight}" fill="${theme.foreground}" opacity=".45"/>
${bodies.join('\n')}
</g></svg>
</svg>
`;
}
