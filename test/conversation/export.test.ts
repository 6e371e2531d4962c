import { describe, expect, test } from 'vitest';

import { codeBlocks } from '../../src/conversation/code-blocks.ts';
import { exportHtml } from '../../src/conversation/export/html.ts';
import { exportJson } from '../../src/conversation/export/json.ts';
import { exportMarkdown } from '../../src/conversation/export/markdown.ts';
import { createJournal } from '../../src/conversation/open-journal.ts';
import { pathOf } from '../../src/conversation/tree.ts';
import { exchange, journalOptions } from './journal-fixtures.ts';

function conversation(prompt: string, answer: string) {
  const journal = createJournal({ ...journalOptions(), save: false });
  exchange(journal, prompt, answer);
  return journal;
}

const selected = { siblings: false };

describe('exports', () => {
  test('Markdown has the title, the speakers and the texts as they came', () => {
    const journal = conversation('why?', 'because\n\n- of _light_');
    const { id } = journal.conversation();
    expect(exportMarkdown(journal.conversation(), selected)).toBe(
      `# why?\n\n_2026-11-20, conversation ${id}_\n\n## You\n\nwhy?\n\n## origin\n\nbecause\n\n- of _light_\n`,
    );
  });

  test('a turn of which there is one version has no number', () => {
    const all = exportMarkdown(conversation('why?', 'because').conversation(), { siblings: true });
    expect(all).toContain('## You\n\nwhy?');
    expect(all).not.toContain('version');
  });

  test('all versions are exported on request, and told apart', () => {
    const journal = conversation('why?', 'because');
    const [prompt] = pathOf(journal.conversation());
    const again = journal.startAnswer({ model: 'nextgen', parent: prompt?.id });
    journal.appendText(again.id, 'other');
    journal.endAnswer(again.id, {});
    expect(exportMarkdown(journal.conversation(), selected)).not.toContain('because');
    const all = exportMarkdown(journal.conversation(), { siblings: true });
    expect(all).toContain('## origin (version 1 of 2)\n\nbecause');
    expect(all).toContain('## nextgen (version 2 of 2, selected)\n\nother');
    const document = JSON.parse(exportJson(journal.conversation(), { siblings: true })) as {
      turns: unknown[];
      selected: string[];
    };
    expect(document.turns).toHaveLength(3);
    expect(document.selected).toEqual([prompt?.id, again.id]);
  });

  test.each([
    ['<script>alert(1)</script>', '<script'],
    ['<img src=x onerror=alert(1)>', '<img'],
    ['text <b onclick="x()">b</b>', '<b onclick'],
    ['[x](javascript:alert(1))', 'href="javascript'],
    ['[x](JaVaScRiPt:alert(1))', 'javascript:alert(1)"'],
    ['![x](data:text/html,hi)', 'data:'],
    ['[x](https://e.example/"onmouseover="a)', '"onmouseover'],
    ['```"><script>\nx\n```', '<script'],
    ['# <iframe src="https://e.example">', '<iframe'],
  ])('an HTML page lets nothing of %s run', (answer, forbidden) => {
    const page = exportHtml(conversation('<script>hi</script>', answer).conversation(), selected);
    expect(page.toLowerCase()).not.toContain(forbidden);
    expect(page).toContain('&lt;script&gt;hi&lt;/script&gt;');
    expect(page).toContain("default-src 'none'");
  });

  test('an HTML page shows control characters instead of holding them', () => {
    const text = 'a\u001B[31m\0 b\u007F\u009B\u0007\tc';
    const page = exportHtml(conversation(text, text).conversation(), selected);
    // oxlint-disable-next-line no-control-regex -- looks for control characters
    expect(page).not.toMatch(/[^\P{Cc}\t\n]/u);
    expect(page.match(/a\u241B\[31m\u2400 b\u2421\uFFFD\u2407/g)).toHaveLength(4);
  });

  test('an HTML page renders Markdown', () => {
    const answer = '**bold** [link](https://e.example)\n\n```js\nlet x;\n```';
    const page = exportHtml(conversation('why?', answer).conversation(), selected);
    expect(page).toContain('<strong>bold</strong>');
    expect(page).toContain('<a href="https://e.example" rel="noreferrer">link</a>');
    expect(page).toContain('<code class="language-js">let x;');
  });
});

test('codeBlocks finds blocks in lists and quotes, without their fences', () => {
  const answer = 'a\n\n```sh\nls\n```\n\n- b\n\n  ~~~\n  c\n  ~~~\n\n> ```\n> d\n> e\n> ```\n';
  expect(codeBlocks(answer)).toEqual(['ls', 'c', 'd\ne']);
});
