import { describe, expect, test } from 'vitest';
import { exportJson, exportMarkdown } from '../../../src/conversation/export/export.ts';
import { exportHtml } from '../../../src/conversation/export/html.ts';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { type AnswerEnd, pathOf } from '../../../src/conversation/tree.ts';
import { sanitize } from '../../../src/terminal/safety/sanitizer.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { addPromptAndAnswer, journalOptions } from '../journal-fixtures.ts';

function conversation(prompt: string, answer: string) {
  const journal = createJournal({ ...journalOptions(), save: false });
  addPromptAndAnswer(journal, prompt, answer);
  return journal;
}

const selected = { siblings: false };

describe('exports', () => {
  test('Markdown has the title, the speakers and the unchanged texts', () => {
    const journal = conversation('why?', 'because\n\n- of _light_');
    const { id } = journal.conversation();
    expect(exportMarkdown(journal.conversation(), selected)).toBe(
      `# why?\n\n_2026-11-20, conversation ${id}_\n\n## You\n\nwhy?\n\n## origin\n\nbecause\n\n- of _light_\n`,
    );
  });

  test('reasoning is exported on request, without its tags and as no part of the answer', () => {
    const journal = createJournal({ ...journalOptions(), save: false });
    addPromptAndAnswer(journal, 'why?', 'because');
    const [, answer] = pathOf(journal.conversation());
    journal.append('thought', answer?.id ?? '', '<think>first\n\n## <b>then</b></think>\n\n');
    const reasoned = journal.conversation();
    const all = { siblings: false, reasoning: true };
    expect(exportMarkdown(reasoned, all)).toContain(
      '## origin\n\n_Reasoning:_\n\n> first\n> \n> ## <b>then</b>\n\nbecause\n',
    );
    expect(exportHtml(reasoned, all)).toContain(
      '<summary>Reasoning</summary><pre>first\n\n## &lt;b&gt;then&lt;/b&gt;</pre></details><p>because</p>',
    );
    expect(JSON.parse(exportJson(reasoned, all))).toMatchObject({
      turns: [{ content: 'why?' }, { content: 'because', reasoning: 'first\n\n## <b>then</b>' }],
    });
    for (const format of [exportMarkdown, exportHtml, exportJson]) {
      expect(format(reasoned, selected)).not.toMatch(/> first|>first|"reasoning/);
    }
  });

  test('times are exported on request, with a line for hours between turns', async () => {
    const clock = createFakeClock();
    const journal = createJournal({ ...journalOptions(), clock, save: false });
    addPromptAndAnswer(journal, 'why?', 'because');
    await clock.advance(3 * 3_600_000);
    addPromptAndAnswer(journal, 'why not?', 'never');
    const timed = journal.conversation();
    const options = { siblings: false, times: true };
    const text = exportMarkdown(timed, options);
    expect(text).toMatch(/\n## You \(\w+day \d+ November \d\d:\d\d\)\n\nwhy\?\n/);
    expect(text).toMatch(
      /\nbecause\n\n_3 hours later, \w+day \d+ November \d\d:\d\d_\n\n## You \(\d\d:\d\d\)\n/,
    );
    const page = exportHtml(timed, options);
    expect(page).toMatch(/<p>3 hours later, [^<]+<\/p>\n<article class="user">/);
    for (const format of [exportMarkdown, exportHtml]) {
      expect(format(timed, selected)).not.toMatch(/\d\d:\d\d|hours later/);
    }
  });

  test('a turn with a single version has no number', () => {
    const all = exportMarkdown(conversation('why?', 'because').conversation(), {
      siblings: true,
    });
    expect(all).toContain('## You\n\nwhy?');
    expect(all).not.toContain('version');
  });

  test('all versions are exported on request, with numbers', () => {
    const journal = conversation('why?', 'because');
    const [prompt] = pathOf(journal.conversation());
    const again = journal.startAnswer({ model: 'nextgen', parent: prompt?.id });
    journal.append('text', again.id, 'other');
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
  ])('an HTML page makes %s inert', (answer, forbidden) => {
    const page = exportHtml(conversation('<script>hi</script>', answer).conversation(), selected);
    const [own] = page.match(/<script>[^]*?<\/script>\n<\/body>/) ?? [''];
    expect(page.replace(own, '').toLowerCase()).not.toContain(forbidden);
    expect(page).toContain('&lt;script&gt;hi&lt;/script&gt;');
    expect(page).toContain("default-src 'none'");
  });

  test.each([
    [String.raw`a \(x_1\) b $y_2$ c`, [String.raw`\(x_1\)`, '$y_2$']],
    ['before\n$$\nx_1\n$$\nafter', ['$$\nx_1\n$$']],
    ['one\n\ntwo\n\\[\nx_1\n\\]\n\nthree', ['\\[\nx_1\n\\]']],
    ['in $$x_1$$ line', ['$$x_1$$']],
    ['a$$x_1$$', ['$$x_1$$']],
    ['from $5 to $10', []],
  ])('an HTML page has the mathematics of %j as written', (answer, formulas) => {
    const shown = conversation('why?', answer).conversation();
    const page = exportHtml(shown, selected);
    const found = page.matchAll(/<code class="math">([^<]*)<\/code>/g);
    expect([...found].map(([, formula]) => formula)).toEqual(formulas);
  });

  test('an HTML page keeps a display formula inside a line in its paragraph', () => {
    const shown = conversation('why?', 'a$$x_1$$').conversation();
    const page = exportHtml(shown, selected);
    expect(page).toContain('<p>a<code class="math">$$x_1$$</code></p>');
  });

  test('an HTML page has block HTML as a paragraph, line by line', () => {
    const page = exportHtml(
      conversation('why?', '<details>\n  <b>x</b>\n</details>\n\nafter').conversation(),
      selected,
    );
    expect(page).toContain(
      '<p class="typed">&lt;details&gt;\n  &lt;b&gt;x&lt;/b&gt;\n&lt;/details&gt;</p>\n<p>after</p>',
    );
  });

  test('an HTML page marks links whose label is their address', () => {
    const answer = '<https://a.example> and [b](https://b.example)';
    const shown = conversation('why?', answer).conversation();
    const page = exportHtml(shown, selected);
    expect(page.match(/<a [^>]*>/g)).toEqual([
      '<a class="bare" href="https://a.example" rel="noreferrer">',
      '<a href="https://b.example" rel="noreferrer">',
    ]);
  });

  test('an HTML page renders a summary as an answer', () => {
    const journal = conversation('why?', 'because');
    const [, answer] = pathOf(journal.conversation());
    const turn = answer?.id ?? '';
    journal.setSummary({ turn, after: turn, content: '**of it**', model: 'origin' });
    const page = exportHtml(journal.conversation(), selected);
    expect(page).toContain('<h2>Summary (sent instead of the turns above)</h2>');
    expect(page).toContain('<p><strong>of it</strong></p>');
  });

  test('an HTML page has the date and the conversation id', () => {
    const shown = conversation('why?', 'because').conversation();
    const page = exportHtml(shown, selected);
    expect(page).toMatch(/(?<![-\d])2026-11-20(?![-\dT])/);
    expect(page).toContain(shown.id);
  });

  test('an HTML page replaces control characters by visible symbols', () => {
    const text = 'a\u001B[31m\0 b\u007F\u009B\u0007\tc';
    const page = exportHtml(conversation(text, text).conversation(), selected);
    // oxlint-disable-next-line no-control-regex -- looks for control characters
    expect(page).not.toMatch(/[^\P{Cc}\t\n]/u);
    expect(page.match(/a\u241B\[31m\u2400 b\u2421\uFFFD\u2407/g)).toHaveLength(4);
  });

  test('Y29: an HTML page has no characters that hide or reorder text', () => {
    const hidden = '\u061C\u200B\u200E\u200F\u202A\u202E\u2060\u2066\u2069\u206F\uFEFF\uFFF9';
    const tags = '\u{E0001}\u{E0041}\u{E007F}\u{E0100}';
    const text = `a${hidden}${tags}b\u2028c\u2029d\uD800e`;
    const page = exportHtml(conversation(text, text).conversation(), selected);
    expect(page.match(/ab(?:\n|<br>)c(?:\n|<br>)d\uFFFDe/g)).toHaveLength(2);
    expect(page).not.toMatch(
      /[\u061C\u200B\u200E\u200F\u2028-\u202E\u2060\u2066-\u206F\uFEFF\uFFF9]/,
    );
    expect(page).not.toMatch(/[\u{E0000}-\u{E0FFF}]/u);
    expect(page).not.toMatch(/\p{Cs}/u);
    expect(sanitize(text)).toBe('ab\nc\nd\uFFFDe');
  });

  test('Y29: an HTML page has no reference to a hidden character', () => {
    const answer =
      'a&#x202E;&#8238;&#x0202e;&rlm;&ZeroWidthSpace;&#xE0041;b &amp; &#x41; &copy; &#x110000;';
    const page = exportHtml(conversation('why?', answer).conversation(), selected);
    expect(page).toContain('<p>ab &amp; A &copy; \uFFFD</p>');
  });

  test('Y29: an HTML page keeps flags and joined emoji', () => {
    const text =
      '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} \u{1F469}\u200D\u{1F680}';
    const page = exportHtml(conversation('why?', text).conversation(), selected);
    expect(page).toContain(text);
  });

  test('an HTML page renders Markdown', () => {
    const answer = '**bold** [link](https://e.example)\n\n```js\nlet x;\n```';
    const page = exportHtml(conversation('why?', answer).conversation(), selected);
    expect(page).toContain('<strong>bold</strong>');
    expect(page).toContain('<a href="https://e.example" rel="noreferrer">link</a>');
    expect(page).toContain('<code class="language-js">let x;');
  });
});

/** A prompt whose answer has this text and end. */
function journalWith(text: string, end: AnswerEnd) {
  const journal = createJournal({ ...journalOptions(), save: false });
  const prompt = journal.addTurn({ role: 'user', content: 'why?' });
  const answer = journal.startAnswer({ model: 'origin', parent: prompt.id });
  journal.append('text', answer.id, text);
  journal.endAnswer(answer.id, end);
  return journal;
}

const headings = (journal: ReturnType<typeof journalWith>) =>
  exportMarkdown(journal.conversation(), { siblings: false }).match(/^## .*/gm);

test.each<[string, string, AnswerEnd, string]>([
  ['that was cut off', 'be', { incomplete: true, failure: 'incomplete' }, 'incomplete: cut off'],
  ['that failed', 'be', { incomplete: true, failure: 'unreachable' }, 'incomplete: unreachable'],
  ['without a known end', 'be', { incomplete: true }, 'incomplete'],
  ['without text', '', { incomplete: true, failure: 'rate_limited' }, 'no answer: rate limited'],
  ['at the token limit', 'be', { finishReason: 'length' }, 'reached the token limit'],
  ['that is empty', '', { failure: 'no_answer' }, 'no answer'],
])('an answer %s has one reason', (_, text, end, remark) => {
  expect(headings(journalWith(text, end))).toEqual(['## You', `## origin (${remark})`]);
});

test('a prompt that later requests omit is marked', () => {
  const journal = journalWith('', { incomplete: true, failure: 'rate_limited' });
  addPromptAndAnswer(journal, 'go on', 'gladly');
  expect(headings(journal)).toEqual([
    '## You (not answered, not sent again)',
    '## origin (no answer: rate limited)',
    '## You',
    '## origin',
  ]);
});
