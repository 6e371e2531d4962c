// Draws the README's pictures: natter replays a recording in a pseudo-terminal, and the screen is written as SVG.
// `npm run pictures` builds natter and runs it.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import headless from '@xterm/headless';

const columns = 88;
const rows = 17;
const cellWidth = 8.4;
const lineHeight = 18;
const padding = 16;

const themes = {
  dark: {
    background: '#14161b',
    foreground: '#d7dae0',
    palette: [
      '#14161b',
      '#e06c75',
      '#98c379',
      '#e5c07b',
      '#61afef',
      '#c678dd',
      '#56b6c2',
      '#d7dae0',
    ],
  },
  light: {
    background: '#ffffff',
    foreground: '#24292f',
    palette: [
      '#24292f',
      '#b3261e',
      '#1a7f37',
      '#8a5a00',
      '#0550ae',
      '#8250df',
      '#0f6b7a',
      '#57606a',
    ],
  },
};

/** Typed text, and the pause after it in milliseconds. */
const script = [
  ['', 2000],
  ['Which models are there, and how do I ask the large one?\r', 2000],
  ['And which one is faster', 700],
];

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function styleOf(cell, theme) {
  const color = cell.isFgPalette() ? theme.palette[cell.getFgColor() % 8] : theme.foreground;
  const decorations = [cell.isUnderline() && 'underline', cell.isStrikethrough() && 'line-through'];
  const decoration = decorations.filter(Boolean).join(' ');
  return [
    `fill="${color}"`,
    cell.isBold() ? 'font-weight="bold"' : '',
    cell.isItalic() ? 'font-style="italic"' : '',
    cell.isDim() ? 'opacity="0.6"' : '',
    decoration === '' ? '' : `text-decoration="${decoration}"`,
  ]
    .filter((attribute) => attribute !== '')
    .join(' ');
}

/** Splits a line into runs of equal style: `{column, style, text}`. */
function runsOf(line, theme) {
  const runs = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell, theme);
    const text = cell.getChars() === '' ? ' ' : cell.getChars();
    const last = runs.at(-1);
    if (last !== undefined && last.style === style) last.text += text;
    else runs.push({ column, style, text });
  }
  return runs.filter((run) => run.text.trim() !== '');
}

function drawSvg(terminal, theme) {
  const { active } = terminal.buffer;
  const width = Math.round(columns * cellWidth + 2 * padding);
  const height = rows * lineHeight + 2 * padding;
  const texts = [];
  for (let row = 0; row < rows; row += 1) {
    const line = active.getLine(active.viewportY + row);
    if (line === undefined) continue;
    const y = padding + (row + 0.75) * lineHeight;
    for (const { column, style, text } of runsOf(line, theme)) {
      const x = (padding + column * cellWidth).toFixed(1);
      texts.push(
        `<text x="${x}" y="${y}" ${style} xml:space="preserve">${escapeXml(text.trimEnd())}</text>`,
      );
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" role="img" aria-label="A conversation in natter">
<rect width="100%" height="100%" rx="8" fill="${theme.background}"/>
${texts.join('\n')}
</svg>
`;
}

async function drawPictures() {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  const home = mkdtempSync(join(tmpdir(), 'natter-picture-'));
  const child = spawn(
    process.execPath,
    [
      resolve(process.argv[2] ?? 'bin/natter.cjs'),
      '--quiet',
      '--replay',
      resolve('docs/pictures/conversation.jsonl'),
    ],
    {
      name: 'xterm-256color',
      cols: columns,
      rows,
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    },
  );
  child.onData((data) => terminal.write(data));
  terminal.onData((data) => child.write(data));
  for (const [text, wait] of script) {
    child.write(text.replace(/\r$/, ''));
    await sleep(300);
    if (text.endsWith('\r')) child.write('\r');
    await sleep(wait);
  }
  for (const [name, theme] of Object.entries(themes)) {
    writeFileSync(`docs/pictures/${name}.svg`, drawSvg(terminal, theme));
  }
  child.kill();
}

await drawPictures();
