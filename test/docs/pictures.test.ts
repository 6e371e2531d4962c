import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startScriptedService,
  type ScriptedService,
} from '../../scripts/pictures/scripted-service.ts';
import { openTerminal } from '../support/terminal.ts';

const themes = ['dark', 'light'];
/** With two pictures of this size, gzip finds the second one in the first: its window is 32 kB. */
const largestPicture = 31_700;

const pictureOf = (theme: string) => readFileSync(`docs/pictures/${theme}.svg`, 'utf8');

const unescapeXml = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Elements that are not closed, tags that close a different element, and malformed attributes. */
function problemsOf(svg: string): readonly string[] {
  const open: string[] = [];
  const problems: string[] = [];
  for (const [tag, end, name = '', rest = ''] of svg.matchAll(/<(\/?)([a-z]+)([^<>]*)>/g)) {
    const attributes = rest.replaceAll(/ [a-zA-Z-]+="[^"<&]*"/g, '');
    if (end === '/' ? open.pop() !== name : !/^\/?$/.test(attributes)) problems.push(tag);
    if (end !== '/' && !rest.endsWith('/')) open.push(name);
  }
  return [...problems, ...open];
}

/** The text of the last frame: the groups that are not hidden at the end. */
function lastFrame(svg: string): string {
  const visible = svg.replaceAll(/<g class="h"[^>]*>.*?<\/g>/g, '');
  const texts = visible.matchAll(/<text(?: x="(\d+)")? y="(\d+)"([^>]*)>([^<]*)<\/text>/g);
  const shown = [...texts]
    .filter(([, , , attributes = '']) => !/ class="h[" ]/.test(attributes))
    .map(([, x = 0, y, , text = '']) => ({ x: Number(x), y: Number(y), text: unescapeXml(text) }));
  const rows = new Map<number, string>();
  for (const { x, y, text } of shown.toSorted((one, other) => one.x - other.x)) {
    rows.set(y, (rows.get(y) ?? '').padEnd(x / 7) + text);
  }
  return [...rows]
    .toSorted(([one], [other]) => one - other)
    .map(([, row]) => row)
    .join('\n');
}

/** Without what differs from run to run: times and speeds, and the widths of their columns. */
const withoutFigures = (text: string) =>
  text.replaceAll(/\d+(\.\d+)?( m?s\b)?/g, 'N').replaceAll(/ +/g, ' ');

describe.each(themes)('the %s picture', (theme) => {
  const svg = pictureOf(theme);

  test('is well-formed', () => {
    expect(problemsOf(svg)).toEqual([]);
    const content = svg.replaceAll(/<style>[^<]*<\/style>|<[^<>]*>/g, '');
    expect(content.replaceAll(/&(lt|gt|amp);/g, '')).not.toMatch(/[<>&]/);
  });

  test('is small, and has no scripts or external resources', () => {
    expect(Buffer.byteLength(svg)).toBeLessThan(largestPicture);
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /script|href|url\(|@import|https?:|<image|<foreignObject| on[a-z]+=/i,
    );
  });

  test('shows its last frame where motion is reduced', () => {
    expect(svg).toContain('@media (prefers-reduced-motion:reduce){g,text,.k{animation:none}}');
    const shown = lastFrame(svg);
    expect(shown).toContain('$ git diff | natter "review this"');
    expect(shown).toContain('$ natter compare ');
  });
});

test('the pictures differ only in their colours', () => {
  const [dark, light] = themes.map((theme) => pictureOf(theme).replaceAll(/#[\da-f]{6}/g, '#'));
  expect(dark).toBe(light);
});

describe('the pictures show what natter prints; npm run pictures updates them', () => {
  let service: ScriptedService;
  beforeAll(async () => {
    service = await startScriptedService({ isHurried: true });
  });
  afterAll(() => service.close());

  test.each([
    `cat ${resolve('docs/pictures/change.diff')} | $NATTER "review this"`,
    '$NATTER compare "when do I rebase, and when do I merge?"',
  ])('%s', async (shell) => {
    const env = { NATTER_BASE_URL: service.url, NATTER_API_KEY: 'scripted-key' };
    const session = openTerminal([], { shell, env });
    expect((await session.exit).exitCode).toBe(0);
    const shown = withoutFigures(lastFrame(pictureOf('dark'))).split('\n');
    const rows = withoutFigures(await session.screen())
      .split('\n')
      .filter((row) => row !== '');
    expect(shown).toEqual(expect.arrayContaining(rows.map((row) => row.trimEnd())));
  });
});
