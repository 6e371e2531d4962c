import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import { titleIn } from '../../../src/repl/answers/aside.ts';
import { richFormat } from '../../../src/repl/screen/start-live.ts';
import { plainStyle } from '../../../src/terminal/style.ts';
import { runInApp } from '../../support/app.tsx';
import { temporaryHome } from '../../support/natter.ts';
import {
  createMemorySession,
  failing,
  hanging,
  openMemorySession,
  type MemorySession,
  received,
  replying,
  type Reply,
  saying,
} from '../../support/memory-session.ts';
import {
  enter,
  escape,
  lineInterrupted,
  printed,
  run,
  stateOf,
  typed,
  waitingAnswer,
} from '../../support/repl-state.ts';

/** Resolves when the transcript has the text. */
async function shown({ text }: MemorySession, part: string): Promise<void> {
  await expect.poll(text).toContain(part);
}

const [cutOff, noAnswer] = [
  new Failure('incomplete', 'it was cut', { remedy: { code: 'send-again' } }),
  new Failure('no_answer', 'no text', { remedy: { code: 'send-again' } }),
];

/** The service counts no tokens of the prompt, and sends no text. */
const cutPrompt: Reply = async function* reply(...words) {
  yield* replying([], { estimatedPromptTokens: 900 })(...words);
  throw noAnswer;
};

describe('a side question', () => {
  test('is sent with the turns and the system prompt, and no later request has it', async () => {
    const memory = openMemorySession({
      replies: [saying('four'), saying('a *sum*\u001B[2J'), saying('six')],
      state: { settings: { ...stateOf().settings, system: 'be brief' } },
    });
    await memory.submit('two and two?');
    memory.enter('/btw what is this?');
    await shown(memory, 'btw question: what is this?\nbtw answer: a *sum*\n');
    await memory.submit('and two?');
    const roles = memory.requests.map(({ messages }) => messages.map(({ content }) => content));
    expect(roles).toEqual([
      ['be brief', 'two and two?'],
      ['be brief', 'two and two?', 'four', 'what is this?'],
      ['be brief', 'two and two?', 'four', 'and two?'],
    ]);
    expect(memory.session.state().conversation.turns.size).toBe(5);
  });

  test('beside an answer has neither that nor its prompt, and is printed whole after it', async () => {
    const memory = createMemorySession(hanging('half of '), saying('aside'));
    memory.enter('one');
    await shown(memory, 'half of ');
    memory.enter('/btw why?');
    await expect.poll(() => memory.session.state().asides?.length).toBe(1);
    expect(memory.requests[1]?.messages).toEqual([{ role: 'user', content: 'why?' }]);
    expect(memory.text()).not.toContain('aside');
    memory.session.stop();
    await shown(
      memory,
      'half of \nnatter: stopped; /continue resumes it\nbtw question: why?\nbtw answer: aside\n',
    );
  });

  test.each([
    [failing(cutOff, 'half'), 'btw answer: half\nnatter: it was cut\n  /btw asks again'],
    [failing(noAnswer, 'ha'), 'btw answer: ha\nnatter: no text\n  /btw asks again'],
    [failing(new Failure('rate_limited', 'slow down')), 'why?\nnatter: slow down\n'],
    [cutPrompt, 'natter: the service probably cut the prompt: it counted 0 tokens of about 900; '],
  ])('that fails keeps its text and says why', async (reply, text) => {
    const memory = createMemorySession(reply);
    memory.enter('/btw why?');
    await shown(memory, text);
    expect(memory.session.state()).toMatchObject({ aside: undefined, isQueuePaused: false });
  });

  test('is stopped after the answer, and when natter ends', async () => {
    const memory = createMemorySession(hanging('answer'), hanging('side'));
    memory.enter('one');
    await shown(memory, 'answer');
    memory.enter('/btw why?');
    await expect.poll(() => memory.requests).toHaveLength(2);
    memory.session.update(lineInterrupted);
    await memory.idle();
    expect(memory.session.state().aside?.isStopping).toBe(false);
    await memory.session.close();
    expect(memory.text()).toContain('btw answer: side\nnatter: the side question was stopped\n');
  });
});

test('the tokens of answers and side questions are summed, as the service counted them', async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 10, cached_tokens: 900 };
  const counted = replying([received('four')], { usage });
  const memory = createMemorySession(counted, saying('six'), counted);
  await memory.submit('two and two?', 'and two?');
  memory.enter('/btw why?');
  await shown(memory, 'btw answer: four');
  const { promptTokens, ...sums } = memory.session.state().usage;
  expect(sums).toEqual({ answers: 2, estimated: 1, cachedTokens: 1800, completionTokens: 21 });
  expect(promptTokens).toBeGreaterThan(3010);
  expect(promptTokens).toBeLessThan(3030);
});

test('/btw needs a question, and waits for no other one', () => {
  const ask = (state = stateOf(), line = '/btw') => printed(run(state, typed(line), enter).effects);
  expect(ask()).toEqual(['/btw needs a question']);
  const asking = run(stateOf(), typed('/btw why?'), enter).state;
  expect(ask(asking, '/btw how?')).toEqual(['a side question still runs']);
});

test('Esc stops the answer first, and the status row names the side question', () => {
  const aside = { since: 0, isStopping: false };
  const both = stateOf({ aside, activity: { ...waitingAnswer, phase: 'streaming' } });
  const row = (state = both) => runInApp(state).rows.find((text) => text.includes('⠋'));
  expect(row()).toMatch(/Esc stops · btw$/);
  const first = run(both, escape).state;
  expect([first.activity?.isStopping, first.aside?.isStopping]).toEqual([true, false]);
  expect(run(first, escape).state.aside?.isStopping).toBe(true);
  expect(row(stateOf({ aside }))).toMatch(/btw · waiting · Esc stops$/);
  const again = { ...aside, cause: 'too many requests' };
  expect(row(stateOf({ aside: again, now: 2000 }))).toMatch(/btw · too many requests · 2 s · Esc/);
});

test('the answer is below its question, indented', () => {
  const format = richFormat({
    style: plainStyle,
    width: () => 20,
    hyperlinks: false,
    unicode: true,
  });
  const text = format.aside({
    type: 'aside',
    question: 'why?',
    text: 'Because it is\n\n- so\n\u001B[2J',
  });
  expect(text).toBe('› btw: why?\n  Because it is\n\n  - so\n');
});

test.each([
  ['Why the sky is blue', 'Why the sky is blue'],
  ['**"Why the sky is blue."**', 'Why the sky is blue'],
  ['# Title: `Rayleigh` scattering\n\nIt is short.', 'Rayleigh scattering'],
  ['```\nsnake_case names in C#\n```', 'snake_case names in C#'],
  ["- _L'heure_ [d'été](https://example.com)", "L'heure d'été"],
  ['„2. Weltkrieg“', '2. Weltkrieg'],
  ['Red\u001B[31m \u202Eand\u0007 blue', 'Red and blue'],
  ['青い空の理由。', '青い空の理由'],
  ['long '.repeat(30), `${'long '.repeat(10)}long…`],
  ['\n --- \n**""**', ''],
])('the title in %j is %j', (text, title) => {
  expect(titleIn(text)).toBe(title);
});

/** A saved conversation with titles=model. */
const titled = (replies: readonly Reply[], titles: 'words' | 'model' = 'model', saves = true) =>
  openMemorySession({
    replies,
    environment: { NATTER_TITLES: titles },
    ...(saves && { folder: temporaryHome() }),
  });

const titleOf = ({ session }: ReturnType<typeof titled>) => session.journal().conversation().title;

test('the model is asked for a title after the first answer of a saved conversation, once', async () => {
  const memory = titled([saying('Rayleigh scattering. '.repeat(200)), saying('"Blue skies"')]);
  await memory.submit('why?');
  await expect.poll(() => titleOf(memory)).toBe('Blue skies');
  expect(memory.session.state().conversation.title).toBe('Blue skies');
  const content = memory.requests[1]?.messages[0]?.content ?? '';
  expect(content).toContain('<prompt>\nwhy?\n</prompt>');
  expect(content.length).toBeLessThan(1500);
  expect(memory.requests[1]).not.toHaveProperty('max_tokens');
  await memory.submit('and?');
  expect(memory.requests).toHaveLength(3);
  expect(memory.text()).not.toContain('Blue skies');
});

test.each([
  ['without the setting', titled([], 'words')],
  ['if nothing is saved', titled([], 'model', false)],
  ['after a cut answer', titled([failing(new Failure('incomplete', 'cut'), 'bl')])],
])('no title is asked for %s', async (_when, memory) => {
  await memory.submit('why?');
  expect(memory.requests).toHaveLength(1);
});

test('a title that the user sets meanwhile stays', async () => {
  let give: () => void = () => undefined;
  const held: Reply = async function* reply(request, signal) {
    await new Promise<void>((resolve) => (give = resolve));
    yield* saying('Blue skies')(request, signal);
  };
  const memory = titled([saying('blue'), held]);
  await memory.submit('why?', '/rename Mine');
  give();
  await memory.submit('/rename');
  expect(titleOf(memory)).toBe('Mine');
});

test('a failed title changes nothing, and quitting does not wait for one', async () => {
  const memory = titled([saying('blue'), failing(new Failure('server_error', 'down'))]);
  await memory.submit('why?');
  expect(memory.text()).not.toContain('down');
  expect(titleOf(memory)).toBeUndefined();
  const waiting = titled([saying('blue'), hanging()]);
  await waiting.submit('why?');
  await waiting.session.close();
  expect(waiting.requests).toHaveLength(2);
});
