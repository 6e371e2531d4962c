// `npm run pictures` draws the README's animated pictures from a session of natter in a pseudo-terminal. They are SVG
// without scripts: each text is visible during its lifetime. Programs that do not animate, and people who prefer reduced
// motion, see the last frame.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recordSession, type Frame } from './record-session.ts';
import { createHome, startScriptedService } from './scripted-service.ts';

const columns = 80;
const rows = 19;
const pause = 1600;
/** Read to people who do not see the picture. */
const label =
  'natter in a terminal: an answer streams, git diff is reviewed in a pipe after a retry, and two models are compared';

const commands = [
  'natter "undo the last commit, keep the changes"',
  'git diff | natter "review this"',
  'natter compare "when do I rebase, and when do I merge?"',
];

interface Theme {
  readonly background: string;
  readonly foreground: string;
  /** Black, red, green, yellow, blue, magenta, cyan, white. */
  readonly palette: string;
}

const themes: Readonly<Record<string, Theme>> = {
  dark: {
    background: '#14161b',
    foreground: '#d7dae0',
    palette: '#14161b #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #d7dae0',
  },
  light: {
    background: '#f6f8fa',
    foreground: '#24292f',
    palette: '#24292f #b3261e #1a7f37 #8a5a00 #0550ae #8250df #0f6b7a #57606a',
  },
};

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

/** Text of one style in one line that appears and disappears at once. */
interface Span {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly style: string;
  /** Milliseconds; `to` is undefined if the text stays. */
  readonly from: number;
  readonly to: number | undefined;
}

/** Every cell of the frames, with its lifetime. */
function cellsOf(frames: readonly Frame[]): readonly Span[] {
  const open = new Map<string, Span>();
  const ended: Span[] = [];
  for (const frame of frames) {
    for (const [place, cell] of open) {
      const now = frame.lines[cell.line]?.[cell.column];
      if (now?.text === cell.text && now.style === cell.style) continue;
      ended.push({ ...cell, to: frame.at });
      open.delete(place);
    }
    for (const [line, cells] of frame.lines.entries()) {
      for (const [column, cell] of cells.entries()) {
        const place = `${line} ${column}`;
        if (open.has(place)) continue;
        open.set(place, { line, column, ...cell, from: frame.at, to: undefined });
      }
    }
  }
  return [...ended, ...open.values()];
}

const isUnderlined = ({ style }: Span) => style.endsWith('u');
const isBlank = (span: Span) => span.text.trim() === '' && !isUnderlined(span);

/** Some programs show several spaces as one, so they separate spans. */
const isContinued = (one: Span, next: Span) =>
  !(isBlank(next) && one.text.endsWith(' ')) &&
  one.line === next.line &&
  one.from === next.from &&
  one.to === next.to &&
  one.column + one.text.length === next.column &&
  (one.style === next.style || isBlank(next));

/** Neighbouring cells of the same lifetime and style, joined. */
function spansOf(frames: readonly Frame[]): readonly Span[] {
  const order = cellsOf(frames).toSorted(
    (one, other) =>
      one.line - other.line ||
      one.from - other.from ||
      (one.to ?? Infinity) - (other.to ?? Infinity) ||
      one.column - other.column,
  );
  const spans: Span[] = [];
  for (const cell of order) {
    const last = spans.at(-1);
    if (last !== undefined && isContinued(last, cell)) {
      spans[spans.length - 1] = { ...last, text: last.text + cell.text };
    } else if (!isBlank(cell)) spans.push(cell);
  }
  return spans.map((span) => (isUnderlined(span) ? span : { ...span, text: span.text.trimEnd() }));
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const short = (value: number) => String(Number(value.toFixed(2)));

/** @param classes in addition to those of the style */
function drawSpan({ line, column, text, style }: Span, classes = '', animation = ''): string {
  const trimmed = text.trimStart();
  const left = (column + text.length - trimmed.length) * cellWidth;
  const x = left === 0 ? '' : ` x="${left}"`;
  const y = line * lineHeight + baseline;
  const names = `${classes} ${style}`.trim();
  const kind = names === '' ? '' : ` class="${names}"`;
  // Fonts differ in the width of a cell; with one or two characters that is less than a pixel.
  const length = trimmed.length > 2 ? ` textLength="${trimmed.length * cellWidth}"` : '';
  return `<text${x} y="${y}"${kind}${length}${animation}>${escapeXml(trimmed)}</text>`;
}

/** To a thousandth: a difference of less than two frames. */
const percentage = (at: number, duration: number) =>
  `${Number(((at / duration) * 100).toFixed(1))}%`;

/** Values of a property, each until a moment; after the last, the value without animation. */
type Values = readonly (readonly [until: number, value: string])[];

function keyframes(name: string, values: Values, duration: number): string {
  const rules = values.map(([until, value]) => `${percentage(until, duration)}{${value}}`);
  return `@keyframes ${name}{${rules.join('')}}`;
}

const hidden = 'opacity:0';
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Short names: a to Z, a1 to Z1, and so on. */
const nameOf = (index: number) =>
  `${letters[index % letters.length]}${Math.floor(index / letters.length) || ''}`;

/** Spans that appear and disappear at once are a group with one animation. */
function drawSpans(spans: readonly Span[], duration: number) {
  const groups = new Map<string, [Span, ...Span[]]>();
  for (const span of spans) {
    const end = span.to === undefined ? '' : percentage(span.to, duration);
    const key = `${percentage(span.from, duration)} ${end}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [span]);
    else group.push(span);
  }
  return [...groups.values()].map((group, index) => {
    const [first] = group;
    const name = nameOf(index);
    const animation = ` style="animation-name:${name}"`;
    // Text that stays is hidden at first. Text that does not stay is hidden without animation, too.
    const stays = first.to === undefined;
    const appears = [first.from, hidden] as const;
    const values = first.to === undefined ? [appears] : [appears, [first.to, 'opacity:1'] as const];
    const kind = stays ? '' : ' class="h"';
    const texts = group.map((span) => drawSpan(span)).join('');
    return {
      style: keyframes(name, values, duration),
      body:
        group.length === 1
          ? drawSpan(first, stays ? '' : 'h', animation)
          : `<g${kind}${animation}>${texts}</g>`,
    };
  });
}

/** Until each frame that changes it, the value of the frame before. */
function movesOf(frames: readonly Frame[], value: (frame: Frame) => string): Values {
  return frames.flatMap((frame, index) => {
    const before = value(frames[index - 1] ?? frame);
    return before === value(frame) ? [] : [[frame.at, before] as const];
  });
}

const pixels = (length: number) => (length === 0 ? '0' : `${length}px`);

function baseStyle({ foreground, palette }: Theme, duration: number): string {
  const colors = palette.split(' ').map((color, index) => `.c${index}{fill:${color}}`);
  return [
    `text{fill:${foreground}}.b{font-weight:bold}.d{fill-opacity:.65}.i{font-style:italic}.u{text-decoration:underline}`,
    ...colors,
    `.h{${hidden}}g,text,.k{animation:${short(duration / 1000)}s step-start infinite}`,
  ].join('');
}

function drawSvg(frames: readonly Frame[], theme: Theme): string {
  const last = frames.at(-1);
  if (last === undefined) throw new Error('the session has no frames');
  const duration = last.at + rest;
  const drawn = drawSpans(spansOf(frames), duration);
  const scroll = movesOf(
    frames,
    ({ top }) => `transform:translate(0,${pixels(-top * lineHeight)})`,
  );
  const end = last.cursor;
  // Relative to its last place, which is an attribute: some programs know no property `translate`.
  const cursor = movesOf(frames, ({ cursor: { line, column } }) => {
    const x = pixels((column - end.column) * cellWidth);
    return `translate:${x} ${pixels((line - end.line) * lineHeight)}`;
  });
  const animations = [
    keyframes('scroll', scroll, duration),
    keyframes('cursor', cursor, duration),
    ...drawn.map(({ style }) => style),
  ];
  const [inner, height] = [columns * cellWidth, rows * lineHeight];
  const outer = [inner + 2 * padding, height + 2 * padding];
  const [width, pixelHeight] = outer.map((length) => Math.round(length * unit));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${outer.map(short).join(' ')}" width="${width}" height="${pixelHeight}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${short(fontSize)}" role="img" aria-label="${label}">
<style>${baseStyle(theme, duration)}
${animations.join('')}
@media (prefers-reduced-motion:reduce){g,text,.k{animation:none}}</style>
<rect width="100%" height="100%" rx="${short(8 / unit)}" fill="${theme.background}"/>
<svg x="${short(padding)}" y="${short(padding)}" width="${inner}" height="${height}"><g transform="translate(0 ${-last.top * lineHeight})" style="animation-name:scroll">
<rect class="k" transform="translate(${end.column * cellWidth} ${end.line * lineHeight})" style="animation-name:cursor" width="${cellWidth}" height="${lineHeight}" fill="${theme.foreground}" opacity=".45"/>
${drawn.map(({ body }) => body).join('')}
</g></svg>
</svg>
`;
}

/** A home with a project that has the change of `change.diff`. */
function prepareFolders() {
  const { home, environment } = createHome();
  const folder = join(home, 'project');
  mkdirSync(folder);
  const diff = resolve('docs/pictures/change.diff');
  const before = readFileSync(diff, 'utf8').split('\n').slice(5);
  const lines = before.flatMap((line) => (/^[ -]/.test(line) ? [line.slice(1)] : []));
  writeFileSync(join(folder, 'retry.js'), `${lines.join('\n')}\n`);
  for (const words of [
    ['init', '--quiet'],
    ['add', '.'],
    ['apply', diff],
  ]) {
    execFileSync('git', words, { cwd: folder, env: environment });
  }
  return { folder, environment };
}

const service = await startScriptedService();
const { folder, environment } = prepareFolders();
const keys = { NATTER_BASE_URL: service.url, NATTER_API_KEY: 'scripted-key' };
const session = { columns, rows, commands, pause, folder };
const frames = await recordSession({ ...session, environment: { ...environment, ...keys } });
await service.close();
for (const [name, theme] of Object.entries(themes)) {
  writeFileSync(`docs/pictures/${name}.svg`, drawSvg(frames, theme));
}
