import { readFileSync, statSync, writeFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  branchJournal,
  createJournal,
  resumeJournal,
  type Journal,
  type JournalOptions,
} from '../../../src/conversation/journal/journal.ts';
import { Failure } from '../../../src/failure.ts';
import {
  pathOf,
  modelOf,
  titleOf,
  versionsOf,
  messagesOf,
  summaryOf,
} from '../../../src/conversation/tree.ts';
import { appendFile, type AppendFile } from '../../../src/storage/append-file.ts';
import {
  addAnswer,
  addPromptAndAnswer,
  fileOf,
  filesIn,
  journalOptions,
  linesOf,
  resumed,
  storedConversation,
  textsOf,
  type TestOptions,
  whole,
} from '../journal-fixtures.ts';
import { parseLine } from '../../../src/conversation/journal/records.ts';
import {
  loadConversation,
  summarize,
} from '../../../src/conversation/library/read-conversation.ts';
import { compilePatterns, searchConversation } from '../../../src/conversation/library/search.ts';
import { exportJson, exportMarkdown } from '../../../src/conversation/export/export.ts';

/** A new journal in a new folder. */
function begun(changes: Partial<JournalOptions> = {}) {
  const options = journalOptions();
  return { options, journal: createJournal({ ...options, ...changes }) };
}

describe('a journal', () => {
  test('creates nothing before the first turn, which is on disk when addTurn returns', () => {
    const { options, journal } = begun();
    expect(filesIn(options.folder)).toEqual([]);
    journal.addTurn({ role: 'user', content: 'why?' });
    const [header, turn] = linesOf(options.folder, journal.conversation().id);
    expect(JSON.parse(header ?? '')).toMatchObject({ type: 'conversation', version: 1 });
    expect(JSON.parse(turn ?? '')).toMatchObject({ type: 'turn', role: 'user', content: 'why?' });
  });

  test('D14 contains a streaming answer with its text so far, and closes it as incomplete', async () => {
    const { options, journal } = begun();
    journal.addTurn({ role: 'user', content: 'why?' });
    const answer = journal.startAnswer({ model: 'origin' });
    journal.append('text', answer.id, 'be');
    const before = journal.conversation();
    journal.append('text', answer.id, 'cause');
    expect(before.turns.get(answer.id)).toMatchObject({ content: 'be', incomplete: true });
    await journal.close();
    const [, read] = pathOf(resumed(options, journal.conversation().id).conversation());
    expect(read).toMatchObject({ content: 'because', incomplete: true });
  });

  test('reads back what it wrote', async () => {
    const { options, journal } = begun();
    addPromptAndAnswer(journal, 'one', 'first');
    const [prompt] = pathOf(journal.conversation());
    journal.addTurn({ role: 'user', content: 'one, edited', parent: prompt?.parent });
    journal.select(prompt?.id ?? '');
    journal.set({ title: 'numbers' });
    await journal.close();
    const written = journal.conversation();
    expect(resumed(options, written.id).conversation()).toEqual(written);
    expect(textsOf(journal)).toEqual(['one', 'first']);
  });

  test('D20 flushes a prompt at once, and its answer before it is closed', async () => {
    const calls: string[] = [];
    const append: AppendFile['append'] = (name, bytes) => {
      const written = appendFile.append(name, bytes);
      calls.push(`append ${String(bytes).trim().split('\n').length}`);
      return written;
    };
    const synchronize = async (name: string) => {
      await appendFile.synchronize(name);
      calls.push('synchronized');
    };
    const { journal } = begun({ file: { ...appendFile, append, synchronize } });
    journal.addTurn({ role: 'user', content: 'why?' });
    await expect.poll(() => calls).toEqual(['append 2', 'synchronized']);
    journal.endAnswer(journal.startAnswer({ model: 'origin' }).id, {});
    await journal.close();
    expect(calls.slice(2)).toEqual(['append 1', 'append 1', 'synchronized']);
  });

  test('D21 K24 keeps the answer unchanged, lone surrogates included, and private', async () => {
    const options = journalOptions();
    const answer = 'é\u0000\u001b[31m\ud800 "\\n" 👩‍👩‍👧\r\n\u2028';
    const id = await storedConversation(options, [['why?', answer]]);
    expect(textsOf(resumed(options, id))[1]).toBe(answer);
    if (process.platform === 'win32') return;
    const file = fileOf(options.folder, id);
    const modes = [file, dirname(file)].map((one) => statSync(one).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
  });

  test.each([
    ['with save: false', { save: false }, ''],
    [
      'D10 without a home folder, and warns once',
      { folder: undefined },
      'the home folder is unknown',
    ],
  ])('stores nothing %s', async (_what, changes, reason) => {
    const { options, journal } = begun(changes);
    addPromptAndAnswer(journal, 'one', 'first');
    await journal.close();
    expect(textsOf(journal)).toEqual(['one', 'first']);
    expect(filesIn(options.folder)).toEqual([]);
    const warning = `conversations are not saved, because ${reason}`;
    expect(options.warnings).toEqual(reason === '' ? [] : [warning]);
    expect(journal.state()).toMatchObject({ isStored: false, unsavedTurns: 2, path: undefined });
  });
});

test('a second journal of a conversation is refused with the owner of the lock, and can be a copy', async () => {
  const { options, journal: first } = begun();
  addPromptAndAnswer(first, 'one', 'first');
  const { id } = first.conversation();
  const second = resumeJournal(options, id);
  if (!(second instanceof Failure)) throw new Error('it was opened twice');
  expect(second.message).toContain(`process ${process.pid}`);
  expect(second.message).toMatch(/ since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
  expect(second.hint).toContain('--branch');
  const branch = branchJournal(options, id);
  addPromptAndAnswer(branch, 'two', 'second');
  expect(textsOf(branch)).toEqual(['one', 'first', 'two', 'second']);
  expect(textsOf(first)).toEqual(['one', 'first']);
  expect(filesIn(join(options.folder, 'conversations'))).toHaveLength(4);
  await first.close();
  expect(resumeJournal(options, id)).not.toBeInstanceOf(Failure);
});

/** A stored conversation, open; `again` closes it and opens it and a copy of it. */
async function opened(...texts: readonly (readonly [prompt: string, answer: string])[]) {
  const options = journalOptions();
  const id = await storedConversation(options, texts);
  const journal = resumed(options, id);
  const path = fileOf(options.folder, id);
  const turns = pathOf(journal.conversation()).map((turn) => turn.id);
  const again = async () => {
    await journal.close();
    return [resumed(options, id), branchJournal(options, id)] as const;
  };
  /** The conversation with one more prompt and answer, opened again. */
  const continued = async (one: Journal) => {
    addPromptAndAnswer(one, 'three', 'third');
    await one.close();
    return resumed(options, one.conversation().id);
  };
  return { options, id, path, journal, turns, again, continued };
}

describe('X19: an undone prompt and its answer', () => {
  async function undone() {
    const conversation = await opened(['one', 'first'], ['two', 'second']);
    conversation.journal.undo(conversation.turns[2] ?? '');
    return conversation;
  }

  test('stay undone when the conversation is opened again, and in a copy of it', async () => {
    const { again, continued } = await undone();
    for (const one of await again()) {
      expect(textsOf(one)).toEqual(['one', 'first']);
      expect(textsOf(await continued(one))).toEqual(['one', 'first', 'three', 'third']);
    }
  });

  test('N18: are in no version, list, title, search or export, also of a copy', async () => {
    const { options, id, path, journal, turns, again } = await opened(['alpha', 'first']);
    journal.undo(turns[0] ?? '');
    const next = journal.addTurn({ role: 'user', content: 'charlie', parent: undefined });
    for (const one of await again()) {
      const conversation = one.conversation();
      expect([...conversation.turns.values()].map(({ content }) => content)).toEqual(['charlie']);
      expect(versionsOf(conversation, next)).toHaveLength(1);
      expect(titleOf(conversation)).toBe('charlie');
    }
    expect(summarize(path)).toMatchObject({ title: 'charlie', turns: 1, isAnswered: false });
    for (const word of ['alpha', 'first']) {
      expect(searchConversation(path, compilePatterns([word]), 0)).toEqual([]);
    }
    expect(linesOf(options.folder, id).join('\n')).toContain('alpha');
  });

  test('N18: do not get the answer to a later prompt whose line is lost', async () => {
    const { options, id, path, journal, continued } = await undone();
    await (await continued(journal)).close();
    const lines = readFileSync(path, 'utf8').split('\n');
    const kept = lines.filter((line) => !line.includes('"content":"three"'));
    expect(kept).toHaveLength(lines.length - 1);
    writeFileSync(path, kept.join('\n'));
    expect(textsOf(resumed(options, id))).toEqual(['one', 'first', 'third']);
  });

  test('N18: are not in a preview that starts after the prompt', async () => {
    const { id, path, journal, turns } = await opened(['alpha', 'first']);
    journal.undo(turns[0] ?? '');
    await journal.close();
    const text = readFileSync(path, 'utf8');
    for (const start of ['"role":"user"', '"role":"assistant"']) {
      const { fold } = loadConversation(path, id, Buffer.byteLength(text.split(start)[0] ?? ''));
      expect(fold.conversation().turns.size).toBe(0);
    }
  });

  test('leave the other versions, none of which is selected, also in a copy', async () => {
    const { journal, again, continued } = await opened(['one', 'first']);
    const other = journal.addTurn({ role: 'user', content: 'two', parent: undefined });
    journal.undo(other.id);
    for (const one of await again()) {
      expect(textsOf(one)).toEqual([]);
      expect(one.conversation().turns.size).toBe(2);
      expect(textsOf(await continued(one))).toEqual(['three', 'third']);
    }
  });

  test('N18: can be the only turns, and take their summary with them', async () => {
    const { path, journal, turns, again } = await opened(['one', 'first']);
    const [prompt = '', answer = ''] = turns;
    journal.setSummary({ turn: answer, after: answer, content: 'of one' });
    journal.undo(prompt);
    for (const one of await again()) {
      expect(one.conversation()).toMatchObject({ turns: new Map(), summaries: undefined });
    }
    expect(summarize(path)).toMatchObject({ title: '', turns: 0, isAnswered: false });
  });

  test('D18 are recorded in a way that an older natter skips', async () => {
    const { options, id } = await undone();
    const last = linesOf(options.folder, id).at(-1) ?? '';
    expect(JSON.parse(last)).toEqual({ type: 'undo', turn: expect.any(String) });
    expect(parseLine(last.replace('undo', 'unheard-of'))).toEqual({ isLost: false });
  });
});

test('X18: an answer of a comparison keeps the model of the conversation, also in a copy', async () => {
  const { journal, turns, again } = await opened(['one', 'first']);
  const [parent] = turns;
  const asked = { model: 'nextgen', nextModel: 'origin', parent };
  addAnswer(journal, 'other', asked, { model: 'nextgen', finishReason: 'stop' });
  for (const one of await again()) {
    const last = pathOf(one.conversation()).at(-1);
    expect(last).toMatchObject({ model: 'nextgen', content: 'other' });
    expect(modelOf(one.conversation())).toBe('origin');
  }
});

test('the model that the user chose last is that of the conversation, also in a copy', async () => {
  const { options, id, journal, again } = await opened(['one', 'first']);
  journal.set({ model: 'nextgen' });
  const [same, copy] = await again();
  expect([same, copy].map((one) => modelOf(one.conversation()))).toEqual(['nextgen', 'nextgen']);
  const answer = same.startAnswer({ model: 'origin' });
  same.endAnswer(answer.id, { model: 'origin', finishReason: 'stop' });
  await same.close();
  expect(modelOf(resumed(options, id).conversation())).toBe('origin');
});

test('changed parameters create no file, and are stored with the first turn, without secrets', async () => {
  const { options, journal } = begun({ mask: (text) => text.replaceAll('secret', '***') });
  journal.set({ parameters: { set: { user: 'secret', tags: ['a secret'] }, removed: ['seed'] } });
  expect(filesIn(options.folder)).toEqual([]);
  addPromptAndAnswer(journal, 'one', 'first');
  await journal.close();
  const { parameters } = resumed(options, journal.conversation().id).conversation();
  expect(parameters).toEqual({ set: { user: '***', tags: ['a ***'] }, removed: ['seed'] });
});

describe('a summary', () => {
  const content = 'of the first';
  const sent = 'Summary of the earlier conversation:\n\n<summary>\nof the first\n</summary>\n\ntwo';

  /** Two exchanges, of which the first is summarized. */
  async function summarized() {
    const conversation = await opened(['one', 'first'], ['two', 'second']);
    const [, turn = '', , after = ''] = conversation.turns;
    conversation.journal.setSummary({ turn, after, content, model: 'origin' });
    return { ...conversation, turn };
  }

  const contents = (journal: Journal) =>
    messagesOf(journal.conversation()).map((message) => message.content);

  test('is a record of its own type, is sent again when resumed or copied, and is found', async () => {
    const { options, id, path: file, turn, again, continued } = await summarized();
    const record: unknown = JSON.parse(linesOf(options.folder, id).at(-1) ?? '');
    expect(record).toMatchObject({ type: 'summary', turn, content });
    const found = searchConversation(file, compilePatterns(['of the']), 0);
    expect(found).toMatchObject([{ turn, role: 'summary', hits: 1 }]);
    for (const one of await again()) {
      expect(contents(one)).toEqual([sent, 'second']);
      expect(contents(await continued(one))).toEqual([sent, 'second', 'three', 'third']);
    }
  });

  test('stays removed, and the turns are sent again', async () => {
    const { journal, turn, again } = await summarized();
    journal.setSummary({ turn, after: turn, content: '' });
    const [same] = await again();
    expect(contents(same)).toEqual(['one', 'first', 'two', 'second']);
  });

  test('applies only to a path that has its last turn', async () => {
    const { journal, turns } = await summarized();
    addAnswer(journal, 'another', { model: 'nextgen', parent: turns[0] });
    expect(summaryOf(journal.conversation())).toBeUndefined();
    expect(contents(journal)).toEqual(['one', 'another']);
  });

  test('is exported after the turns that it replaces', async () => {
    const conversation = (await summarized()).journal.conversation();
    expect(whole(exportMarkdown(conversation, {}))).toContain(
      'first\n\n## Summary (sent instead of the turns above)\n\nof the first\n\n## You\n\ntwo',
    );
    expect(JSON.parse(whole(exportJson(conversation, {})))).toMatchObject({
      summaries: [{ content, model: 'origin' }],
      turns: [{ content: 'one' }, { content: 'first' }, { content: 'two' }, { content: 'second' }],
    });
  });
});

/** Expects that everything is on disk. */
function expectStored(options: TestOptions, journal: Journal): void {
  expect(journal.state()).toMatchObject({ isStored: true, unsavedTurns: 0, failure: undefined });
  const again = resumed(options, journal.conversation().id);
  expect(again.conversation()).toEqual(journal.conversation());
}

test('D12 a removed folder is written again completely', async () => {
  const { options, journal } = begun();
  addPromptAndAnswer(journal, 'one', 'first');
  rmSync(options.folder, { recursive: true });
  addPromptAndAnswer(journal, 'two', 'second');
  await journal.close();
  expectStored(options, journal);
});

test.each(['text', 'refusal'] as const)(
  'D12 a file removed while answers stream has each %s once when it is written again',
  async (type) => {
    const { options, journal } = begun();
    const parent = journal.addTurn({ role: 'user', content: 'one' }).id;
    const [first = '', second = ''] = ['origin', 'nextgen'].map(
      (model) => journal.startAnswer({ model, parent }).id,
    );
    const { id } = journal.conversation();
    journal.append('text', first, 'fir');
    journal.append(type, second, 'sec');
    rmSync(fileOf(options.folder, id));
    journal.append('text', first, 'st');
    await options.clock.advance(500);
    journal.append(type, second, 'ond');
    for (const answer of [first, second]) journal.endAnswer(answer, { finishReason: 'stop' });
    await journal.close();
    const again = resumed(options, id).conversation();
    expect(again).toEqual(journal.conversation());
    expect(again.turns.get(first)?.content).toBe('first');
    expect(again.turns.get(second)?.[type === 'text' ? 'content' : 'refusal']).toBe('second');
  },
);

test('D11 a file in place of the folder gives one warning', async () => {
  const options = journalOptions();
  writeFileSync(join(options.folder, 'conversations'), '');
  const journal = createJournal(options);
  addPromptAndAnswer(journal, 'one', 'first');
  await journal.close();
  expect(textsOf(journal)).toEqual(['one', 'first']);
  expect(options.warnings).toHaveLength(1);
  expect(journal.state()).toMatchObject({ isStored: false, unsavedTurns: 2 });
});

test('D9 a full disk gives one warning, and everything is written once there is space', async () => {
  for (let room = 0; room < 480; room += 7) {
    let left = room;
    const append: AppendFile['append'] = (file, bytes) => {
      const part = bytes.subarray(0, left);
      left -= part.length;
      if (part.length === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      return appendFile.append(file, part);
    };
    const { options, journal } = begun({ file: { ...appendFile, append } });
    addPromptAndAnswer(journal, 'one', 'first');
    expect(journal.state().isStored).toBe(false);
    expect(options.warnings).toHaveLength(1);
    expect(options.warnings[0]).toContain('the disk is full');
    left = 100_000;
    journal.save();
    await journal.close();
    expectStored(options, journal);
  }
});

test('X20: 500 turns on a full disk take proportional work and few writes', async () => {
  let [writes, offered, isFull] = [0, 0, true];
  const append: AppendFile['append'] = (file, bytes) => {
    if (!isFull) return appendFile.append(file, bytes);
    writes += 1;
    offered += bytes.length;
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const { options, journal } = begun({ file: { ...appendFile, append } });
  const text = 'word '.repeat(400);
  for (let turn = 0; turn < 500; turn += 1) {
    addPromptAndAnswer(journal, text, text);
    await options.clock.advance(100);
  }
  // 50 s, with pauses from half a second to half a minute.
  expect(writes).toBeLessThan(10);
  expect(offered).toBeLessThan(3_000_000);
  expect(options.warnings).toHaveLength(1);
  expect(journal.state()).toMatchObject({ isStored: false, unsavedTurns: 1000 });
  isFull = false;
  await options.clock.advance(30_000);
  addPromptAndAnswer(journal, 'last', 'answer');
  await journal.close();
  expectStored(options, journal);
});
