import { describe, expect, test } from 'vitest';
import { exportJson, exportMarkdown } from '../../../src/conversation/export/export.ts';
import { exportHtml } from '../../../src/conversation/export/html.ts';
import { createJournal } from '../../../src/conversation/journal/journal.ts';
import { type AnswerEnd, pathOf } from '../../../src/conversation/tree.ts';
import { sanitize } from '../../../src/terminal/safety/sanitizer.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { addAnswer, addPromptAndAnswer, journalOptions, whole } from '../journal-fixtures.ts';

function journalOf(prompt: string, answer: string, clock = createFakeClock()) {
  const journal = createJournal({ ...journalOptions(), clock, save: false });
  addPromptAndAnswer(journal, prompt, answer);
  return journal;
}

describe('exports', () => {
  test('Markdown has the title, the speakers and the unchanged texts', () => {
    const conversation = journalOf('why?', 'because\n\n- of _light_').conversation();
    expect(whole(exportMarkdown(conversation, {}))).toBe(
      `# why?\n\n_2026-11-20, conversation ${conversation.id}_\n\n## You\n\nwhy?\n\n## origin\n\nbecause\n\n- of _light_\n`,
    );
  });

  test('reasoning is exported on request, without its tags and as no part of the answer', () => {
    const journal = journalOf('why?', 'because');
    const [, answer] = pathOf(journal.conversation());
    journal.append('thought', answer?.id ?? '', '<think>first\n\n## <b>then</b></think>\n\n');
    const reasoned = journal.conversation();
    const all = { reasoning: true };
    expect(whole(exportMarkdown(reasoned, all))).toContain(
      '## origin\n\n_Reasoning:_\n\n> first\n> \n> ## <b>then</b>\n\nbecause\n',
    );
    expect(whole(exportHtml(reasoned, all))).toContain(
      '<summary>Reasoning</summary><pre>first\n\n## &lt;b&gt;then&lt;/b&gt;</pre></details><p>because</p>',
    );
    expect(JSON.parse(whole(exportJson(reasoned, all)))).toMatchObject({
      turns: [{ content: 'why?' }, { content: 'because', reasoning: 'first\n\n## <b>then</b>' }],
    });
    for (const format of [exportMarkdown, exportHtml, exportJson]) {
      expect(whole(format(reasoned, {}))).not.toMatch(/> first|>first|"reasoning/);
    }
  });

  test('times are exported on request, with a line for hours between turns', async () => {
    const clock = createFakeClock();
    const journal = journalOf('why?', 'because', clock);
    await clock.advance(3 * 3_600_000);
    addPromptAndAnswer(journal, 'why not?', 'never');
    const timed = journal.conversation();
    const options = { times: true };
    expect(whole(exportMarkdown(timed, options))).toMatch(
      /\n## You \(\w+day \d+ November \d\d:\d\d\)\n\nwhy\?\n[^]*\n\n_3 hours later, \w+day \d+ November \d\d:\d\d_\n\n## You \(\d\d:\d\d\)\n/,
    );
    expect(whole(exportHtml(timed, options))).toMatch(
      /<p>3 hours later, [^<]+<\/p>\n<article class="user">/,
    );
    for (const format of [exportMarkdown, exportHtml]) {
      expect(whole(format(timed, {}))).not.toMatch(/\d\d:\d\d|hours later/);
    }
  });

  test('all versions are exported on request, with numbers if there are several', () => {
    const journal = journalOf('why?', 'because');
    const [prompt] = pathOf(journal.conversation());
    const again = addAnswer(journal, 'other', { model: 'nextgen', parent: prompt?.id });
    expect(whole(exportMarkdown(journal.conversation(), {}))).not.toContain('because');
    const all = whole(exportMarkdown(journal.conversation(), { siblings: true }));
    expect(all).toContain('## You\n\nwhy?');
    expect(all).toContain('## origin (version 1 of 2)\n\nbecause');
    expect(all).toContain('## nextgen (version 2 of 2, selected)\n\nother');
    const json = whole(exportJson(journal.conversation(), { siblings: true }));
    const turns = Array.from({ length: 3 }, () => expect.anything() as unknown);
    expect(JSON.parse(json)).toMatchObject({ turns, selected: [prompt?.id, again.id] });
  });
});

const pageOf = (answer: string, prompt = 'why?') =>
  whole(exportHtml(journalOf(prompt, answer).conversation(), {}));

describe('an HTML page', () => {
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
  ])('makes %s inert', (answer, forbidden) => {
    const page = pageOf(answer, '<script>hi</script>');
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
    ['from $5 to $10', []],
  ])('has the mathematics of %j as written', (answer, formulas) => {
    const found = pageOf(answer).matchAll(/<code class="math">([^<]*)<\/code>/g);
    expect([...found].map(([, formula]) => formula)).toEqual(formulas);
  });

  const hiddenReferences =
    'a&#x202E;&#8238;&#x0202e;&rlm;&ZeroWidthSpace;&#xE0041;b &amp; &#x41; &copy; &#x110000;';
  const emoji =
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} \u{1F469}\u200D\u{1F680}';
  test.each([
    ['a display formula in a line', 'a$$x_1$$', '<p>a<code class="math">$$x_1$$</code></p>'],
    ['block HTML line by line', '<p>\n x\n</p>\n\na', '&lt;p&gt;\n x\n&lt;/p&gt;</p>\n<p>a</p>'],
    ['a link to its label', '<https://a.example>', '<a class="bare" href="https://a.example" rel='],
    ['a link', '[b](https://b.example)', '<a href="https://b.example" rel="noreferrer">b</a>'],
    ['bold text', '**bold**', '<strong>bold</strong>'],
    ['code', '```js\nlet x;\n```', '<code class="language-js">let x;'],
    ['Y29: no hidden reference', hiddenReferences, '<p>ab &amp; A &copy; \uFFFD</p>'],
    ['Y29: flags and joined emoji', emoji, emoji],
  ])('has %s', (_what, answer, html) => {
    expect(pageOf(answer)).toContain(html);
  });

  test('has the date and the id, and a summary as an answer', () => {
    const journal = journalOf('why?', 'because');
    const [, answer] = pathOf(journal.conversation());
    const turn = answer?.id ?? '';
    journal.setSummary({ turn, after: turn, content: '**of it**', model: 'origin' });
    const page = whole(exportHtml(journal.conversation(), {}));
    expect(page).toContain('<h2>Summary (sent instead of the turns above)</h2>');
    expect(page).toContain('<p><strong>of it</strong></p>');
    expect(page).toMatch(/(?<![-\d])2026-11-20(?![-\dT])/);
    expect(page).toContain(journal.conversation().id);
  });

  test('replaces control characters by visible symbols', () => {
    const text = 'a\u001B[31m\0 b\u007F\u009B\u0007\tc';
    const page = pageOf(text, text);
    // oxlint-disable-next-line no-control-regex -- looks for control characters
    expect(page).not.toMatch(/[^\P{Cc}\t\n]/u);
    expect(page.match(/a\u241B\[31m\u2400 b\u2421\uFFFD\u2407/g)).toHaveLength(4);
  });

  test('Y29: has no characters that hide or reorder text', () => {
    const hidden = '\u061C\u200B\u200E\u200F\u202A\u202E\u2060\u2066\u2069\u206F\uFEFF\uFFF9';
    const tags = '\u{E0001}\u{E0041}\u{E007F}\u{E0100}';
    const text = `a${hidden}${tags}b\u2028c\u2029d\uD800e`;
    const page = pageOf(text, text);
    expect(page.match(/ab(?:\n|<br>)c(?:\n|<br>)d\uFFFDe/g)).toHaveLength(2);
    expect(page).not.toMatch(
      /[\u061C\u200B\u200E\u200F\u2028-\u202E\u2060\u2066-\u206F\uFEFF\uFFF9\u{E0000}-\u{E0FFF}]|\p{Cs}/u,
    );
    expect(sanitize(text)).toBe('ab\nc\nd\uFFFDe');
  });
});

/** The headings of a prompt whose answer has this text and end, and of `next`. */
function headings(text: string, end: AnswerEnd, next?: string) {
  const journal = createJournal({ ...journalOptions(), save: false });
  journal.addTurn({ role: 'user', content: 'why?' });
  addAnswer(journal, text, { model: 'origin' }, end);
  if (next !== undefined) addPromptAndAnswer(journal, next, 'gladly');
  return whole(exportMarkdown(journal.conversation(), {})).match(/(?<=^## ).*/gm);
}

test.each<[string, string, AnswerEnd, string]>([
  ['that was cut off', 'be', { incomplete: true, failure: 'incomplete' }, 'incomplete: cut off'],
  ['that failed', 'be', { incomplete: true, failure: 'unreachable' }, 'incomplete: unreachable'],
  ['without a known end', 'be', { incomplete: true }, 'incomplete'],
  ['without text', '', { incomplete: true, failure: 'rate_limited' }, 'no answer: rate limited'],
  ['at the token limit', 'be', { finishReason: 'length' }, 'reached the token limit'],
  ['that is empty', '', { failure: 'no_answer' }, 'no answer'],
])('an answer %s has one reason', (_, text, end, remark) => {
  expect(headings(text, end)).toEqual(['You', `origin (${remark})`]);
});

test('a prompt that later requests omit is marked', () => {
  const shown = headings('', { incomplete: true, failure: 'rate_limited' }, 'go on');
  const omitted = ['You (not answered, not sent again)', 'origin (no answer: rate limited)'];
  expect(shown).toEqual([...omitted, 'You', 'origin']);
});
