import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { exportHtml } from '../../src/conversation/export/html.ts';
import type { Conversation } from '../../src/conversation/tree.ts';
import { folderOf } from '../support/folder.ts';
import { conversationOf } from '../support/repl-state.ts';
import { hostileConversation, vectors } from './hostile-conversation.ts';
import { findChromium, startChromium } from './chromium.ts';

const path = findChromium();
if (path === undefined) {
  process.stdout.write('Chromium is not installed: the exported page is not tested.\n');
}
const folder = folderOf();
let started: ReturnType<typeof startChromium> | undefined;
const browser = () => (started ??= startChromium(path ?? ''));
afterAll(() => started?.close());

const htmlOf = (conversation: Conversation) =>
  [...exportHtml(conversation, { siblings: false })].join('');

function fileOf(name: string, html: string): string {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  return pathToFileURL(file).href;
}

/** Shows a page in a new tab. @param source a script that runs before those of the page */
async function show(name: string, html: string, media?: Record<string, string>, source?: string) {
  const tab = await browser().open(media, source);
  await tab.load(fileOf(name, html));
  return tab;
}

const answer = [
  '# Tea',
  'Water, **leaves** and `time`; $E = mc^2$, from $5 to $10. [More](https://example.org/tea).',
  '```js\nconst steep = "a line that is much longer than a narrow window is wide, for sure";\n```',
  '| leaf | minutes |\n| --- | ---: |\n| Sencha | 2 |',
  '- [x] boil\n- [ ] pour',
].join('\n\n');
const typical = htmlOf(
  conversationOf(
    { role: 'user', content: 'which tea?\nthe green one' },
    { role: 'assistant', content: answer, model: 'origin' },
  ),
);

/** Clicks on everything, hovers and focuses. */
const provoke = `(() => {
  for (const element of document.querySelectorAll('body *')) {
    if (element.tagName !== 'A') element.click();
    for (const name of ['mouseover', 'focus', 'toggle', 'error', 'load'])
      element.dispatchEvent(new Event(name));
  }
})()`;

const record = `globalThis.found = []; globalThis.ran = (id) => { found.push(id); };`;

describe.skipIf(path === undefined)('the exported page', () => {
  test.each([
    ['with its policy', (html: string) => html],
    ['without its policy', (html: string) => html.replace(/<meta http-equiv[^>]*>/, '')],
  ])('runs and loads nothing of a hostile conversation, %s', async (_which, change) => {
    const tab = await show('hostile', change(htmlOf(hostileConversation())), {}, record);
    await tab.evaluate(provoke);
    const found = await tab.evaluate('new Promise((done) => setTimeout(() => done(found), 300))');
    expect(found).toEqual([]);
    expect(tab.requests).toEqual([]);
    expect(tab.events).toEqual([]);
    const structure = await tab.evaluate(`({
      scripts: document.scripts.length,
      styles: document.querySelectorAll('style, link, [style]').length,
      loading: document.querySelectorAll('img, iframe, object, embed, video, svg, form, base').length,
      handlers: [...document.querySelectorAll('*')].filter(({ attributes }) =>
        [...attributes].some(({ name }) => name.startsWith('on'))).length,
      links: [...document.links].filter(({ protocol }) => !/^(https?|mailto):$/.test(protocol)).length,
      articles: document.querySelectorAll('main > article').length,
    })`);
    expect(structure).toEqual({
      scripts: 1,
      styles: 1,
      loading: 0,
      handlers: 0,
      links: 0,
      articles: vectors.length * 2,
    });
  });

  test('the check of hostile conversations finds what runs and loads', async () => {
    const open = htmlOf(hostileConversation()).replace(/<meta http-equiv[^>]*>/, '');
    const leak = '<img src="https://evil.example/1" onerror="ran(1)"></main>';
    const tab = await show('leak', open.replace('</main>', leak), {}, record);
    await expect.poll(() => tab.evaluate('found')).toEqual([1]);
    expect(tab.requests).toEqual(['https://evil.example/1']);
  });

  test('a script that is added to the page does not run', async () => {
    const added = typical.replace('</main>', '</main><script>document.title = "ran"</script>');
    const tab = await show('added', added);
    expect(await tab.evaluate('document.title')).not.toBe('ran');
    expect(tab.events.join('')).toContain('Content Security Policy');
  });

  test('has one heading, articles with headings, and labels for what scrolls', async () => {
    const tab = await show('typical', typical);
    expect(
      await tab.evaluate(`({
        lang: document.documentElement.lang,
        h1: document.querySelectorAll('h1').length,
        headings: [...document.querySelectorAll('article > h2, article h3')].map((h) => h.textContent),
        labels: [...document.querySelectorAll('[tabindex]')].map((e) => e.getAttribute('aria-label')),
        math: document.querySelector('.math').textContent,
        prices: document.body.textContent.includes('from $5 to $10'),
      })`),
    ).toEqual({
      lang: 'en',
      h1: 1,
      headings: ['You', 'origin', 'Tea'],
      labels: ['Code 1, js', 'Table 1'],
      math: '$E = mc^2$',
      prices: true,
    });
    expect(tab.requests).toEqual([]);
    expect(tab.events).toEqual([]);
  });

  test.each([
    ['allowed', true],
    ['refused', false],
  ])('copies code, with the clipboard %s', async (_which, isAllowed) => {
    const refuse = `Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('refused')) } });`;
    const keep = `Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { globalThis.copied = text; } } });`;
    const listen = `addEventListener('copy', () => { globalThis.copied = String(getSelection()); });`;
    const source = listen + (isAllowed ? keep : refuse);
    const tab = await show('copy', typical, {}, source);
    await tab.evaluate(`document.querySelector('.copy').click()`);
    await expect
      .poll(() => tab.evaluate(`document.getElementById('status').textContent`))
      .toBe('The code was copied');
    expect(await tab.evaluate(`copied.trim()`)).toMatch(/^const steep = .*sure";$/);
  });

  const colors = `(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    const light = ([r, g, b]) => (Number(r) + Number(g) + Number(b)) / 3;
    return [backgroundColor, color].map((text) => light(text.match(/\\d+/g)) > 128);
  })()`;

  test.each([
    ['light', [true, false]],
    ['dark', [false, true]],
  ])('follows the %s colours of the system', async (scheme, expected) => {
    const tab = await show('typical', typical, { 'prefers-color-scheme': scheme });
    expect(await tab.evaluate(colors)).toEqual(expected);
  });

  test('prints dark on white, without buttons, with whole code and addresses', async () => {
    const media = { type: 'print', 'prefers-color-scheme': 'dark' };
    const tab = await show('typical', typical, media);
    expect(await tab.evaluate(colors)).toEqual([true, false]);
    expect(
      await tab.evaluate(`({
        button: getComputedStyle(document.querySelector('.copy')).display,
        code: getComputedStyle(document.querySelector('pre')).whiteSpace,
        link: getComputedStyle(document.querySelector('.text a'), '::after').content,
      })`),
    ).toEqual({ button: 'none', code: 'pre-wrap', link: '" (https://example.org/tea)"' });
  });

  test('a narrow window scrolls only code and tables', async () => {
    const tab = await browser().open();
    const size = { width: 320, height: 640, deviceScaleFactor: 1, mobile: true };
    await tab.send('Emulation.setDeviceMetricsOverride', size);
    await tab.load(fileOf('typical', typical));
    const [page, code] = await tab.evaluate<[number, boolean]>(
      `[document.documentElement.scrollWidth, (({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('pre'))]`,
    );
    expect(page).toBeLessThanOrEqual(320);
    expect(code).toBe(true);
  });

  test('keeps words of tables whole, and aligns text by its direction', async () => {
    const cell = 'a long cell '.repeat(30);
    const content = `| leaf | amount |\n| --- | --- |\n| Sencha | ${cell} |\n\nשלום עולם`;
    const tab = await show('wide', htmlOf(conversationOf({ role: 'assistant', content })));
    const heights = `[...document.querySelectorAll('th')].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    })`;
    expect(await tab.evaluate(heights)).toEqual([1, 1]);
    const gap = `(() => {
      const paragraph = document.querySelector('.text > p');
      const range = document.createRange();
      range.selectNodeContents(paragraph);
      return paragraph.getBoundingClientRect().right - range.getBoundingClientRect().right;
    })()`;
    expect(await tab.evaluate<number>(gap)).toBeLessThan(1);
  });

  test('opens 10,000 turns in proportion to their size, and lays out only the visible ones', async () => {
    const turns = (count: number) =>
      htmlOf(
        conversationOf(
          ...Array.from({ length: count }, (_, index) => ({
            role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
            content: `${answer}\n\nnumber ${index}`,
          })),
        ),
      );
    const [small, large] = [fileOf('small', turns(100)), fileOf('large', turns(10_000))];
    const tab = await browser().open();
    await tab.load(small);
    const times = [await tab.load(small), await tab.load(small), await tab.load(small)];
    const least = Math.min(...times);
    const time = await tab.load(large);
    // A hundred times as many turns: time per turn does not grow.
    expect(time).toBeLessThan(100 * least);
    const metric = async (name: string) => {
      const { metrics } = await tab.send('Performance.getMetrics');
      const found = (metrics as { name: string; value: number }[]).find((one) => one.name === name);
      return found?.value ?? Number.NaN;
    };
    expect(await metric('LayoutObjects')).toBeLessThan((await metric('Nodes')) / 5);
    const heap = await metric('JSHeapUsedSize');
    await tab.evaluate(`scrollTo(0, 1e9)`);
    expect(
      await tab.evaluate(`document.querySelector('main > :last-child').textContent`),
    ).toContain('number 9999');
    expect(await metric('JSHeapUsedSize')).toBeLessThan(heap * 2 + 5e6);
  });
});
