import { expect, test } from 'vitest';
import { openMemorySession, saying } from '../support/memory-session.ts';
import { enter, lineEntered, lineInterrupted } from '../support/repl-state.ts';

/** A session with one answer. */
async function answered(prompt = 'Which tea is green?') {
  const opened = openMemorySession({ replies: [saying('Sencha.')] });
  await opened.submit(prompt);
  const run = (line: string) => opened.press(line, enter);
  const written = () => opened.calls.filter((call) => call.startsWith('write privately'));
  return { ...opened, run, written };
}

test.each([
  ['/export tea.md', 'tea.md', 'markdown'],
  ['/export tea.JSON', 'tea.JSON', 'json'],
  ['/export my tea.htm', 'my tea.htm', 'html'],
  ['/export "my tea.htm"', 'my tea.htm', 'html'],
  ["/export 'my tea.htm'", 'my tea.htm', 'html'],
  ['/export html', 'which-tea-is-green.html', 'html'],
  ['/export md', 'which-tea-is-green.md', 'markdown'],
  ['/export markdown', 'which-tea-is-green.md', 'markdown'],
  // The title has no letters.
  ['/export json', 'ID.json', 'json', '???'],
])('%s writes %s', async (line, named, format, prompt?: string) => {
  const { run, written, text, session } = await answered(prompt);
  await run(line);
  const file = named.replace('ID', session.state().conversation.id);
  expect(written()).toEqual([`write privately ${file}`]);
  expect(text()).toMatch(
    new RegExp(`exported to /home/${file} \\(${format}, [\\d,]+ bytes\\)`, 'i'),
  );
});

test('/export alone asks for the format', async () => {
  const { run, written, session, submit } = await answered();
  await run('/export');
  expect(session.state().dialog).toMatchObject({
    title: 'export this conversation as',
    choices: [
      { label: 'Markdown: which-tea-is-green.md' },
      { label: 'JSON: which-tea-is-green.json' },
      { label: 'HTML: which-tea-is-green.html' },
      { label: 'write nothing' },
    ],
  });
  await submit('3');
  expect(written()).toEqual(['write privately which-tea-is-green.html']);
  expect(session.state().dialog).toBeUndefined();
});

test('a file without a known extension gets that of the chosen format', async () => {
  const { run, written, submit } = await answered();
  await run('/export notes.txt');
  await submit('');
  expect(written()).toEqual(['write privately notes.txt.md']);
});

test('a file that exists is replaced only after a question', async () => {
  const { run, written, session, submit, idle, text } = await answered();
  for (const change of [lineEntered(''), lineEntered('2'), lineInterrupted]) {
    await run('/export old.html');
    expect(session.state().dialog).toMatchObject({
      title: 'old.html exists already',
      choices: [{ label: 'replace it' }, { label: 'write nothing' }],
    });
    session.update(change);
    expect((await idle()).dialog).toBeUndefined();
  }
  expect(written()).toEqual([]);
  expect(text().match(/nothing was written/g)).toHaveLength(3);
  await run('/export old.html');
  await submit('1');
  expect(written()).toEqual(['write privately old.html']);
});

test('an empty conversation is not exported', async () => {
  const { text, calls, submit } = openMemorySession({});
  await submit('/export tea.md');
  await expect.poll(text).toContain('there is nothing to export yet');
  expect(calls.some((call) => call.startsWith('write privately'))).toBe(false);
});
