import { describe, expect, test } from 'vitest';
import type { Conversation, Turn } from '../../../src/conversation/tree.ts';
import {
  conversationOf,
  effectsOf,
  enter,
  pressed,
  printed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

/** Turns in order of creation; the last child of each is the selected one. */
function treeOf(...facts: readonly Pick<Turn, 'id' | 'parent' | 'role' | 'content'>[]) {
  const createdAt = new Date(0);
  return {
    ...conversationOf(),
    turns: new Map(facts.map((fact) => [fact.id, { ...fact, createdAt }])),
    selection: new Map(facts.map(({ id, parent }) => [parent, id])),
  } satisfies Conversation;
}

const prompt = (id: string, parent?: string) =>
  ({ id, parent, role: 'user', content: `prompt ${id}` }) as const;
const answer = (id: string, parent: string) =>
  ({ id, parent, role: 'assistant', content: `answer ${id}` }) as const;

const retried = stateOf({
  conversation: treeOf(prompt('p'), answer('a', 'p'), answer('b', 'p')),
});
const edited = stateOf({
  conversation: treeOf(
    prompt('p'),
    answer('a', 'p'),
    prompt('q'),
    answer('b', 'q'),
    answer('c', 'q'),
  ),
});

const command = (state: typeof retried, line: string) => run(state, typed(line), enter);
const chosen = ({ effects }: ReturnType<typeof run>) =>
  effectsOf(effects, 'choose').map(({ turnId }) => turnId);

describe('/version', () => {
  test('switches to the next version, and round', () => {
    expect(chosen(command(retried, '/version'))).toEqual(['a']);
  });

  test('reaches the answers of every version of the prompt', () => {
    expect(chosen(command(edited, '/version 1'))).toEqual(['a']);
    expect(chosen(command(edited, '/version 2'))).toEqual(['b']);
    expect(chosen(command(edited, '/version'))).toEqual(['a']);
  });

  test('of the chosen version says so and shows nothing again', () => {
    const step = command(edited, '/version 3');
    expect(chosen(step)).toEqual([]);
    expect(printed(step.effects)).toEqual(['this is version 3 of 3']);
  });

  test('reports the number of versions', () => {
    expect(printed(command(edited, '/version 5').effects)).toEqual(['there are versions 1 to 3']);
    expect(printed(command(edited, '/version x').effects)).toEqual(['there are versions 1 to 3']);
    const single = stateOf({ conversation: treeOf(prompt('p'), answer('a', 'p')) });
    expect(printed(command(single, '/version').effects)).toEqual(['there is only one version']);
    expect(printed(command(stateOf(), '/version').effects)).toEqual(['there is no prompt yet']);
  });

  test('counts a prompt under another system prompt as a version', () => {
    const state = stateOf({
      conversation: treeOf(
        prompt('p'),
        answer('a', 'p'),
        { id: 's', parent: undefined, role: 'system', content: 'be brief' },
        prompt('q', 's'),
        answer('b', 'q'),
      ),
    });
    expect(chosen(command(state, '/version'))).toEqual(['a']);
  });
});

describe('the keys of versions', () => {
  test.each([
    ['Shift+Right', pressed('right', { shift: true }), 'a'],
    ['Alt+.', pressed('.', { alt: true }), 'a'],
    ['Shift+Left', pressed('left', { shift: true }), 'b'],
    ['Alt+,', pressed(',', { alt: true }), 'b'],
  ])('%s switches', (_name, key, turnId) => {
    expect(chosen(run(edited, key))).toEqual([turnId]);
  });

  test('keep the typed text', () => {
    const { state } = run(edited, typed('draft'), pressed('left', { shift: true }));
    expect(state.composer.text).toBe('draft');
  });

  test('do nothing while an answer comes', () => {
    const { state } = run(edited, typed('next'), enter);
    expect(run(state, pressed('left', { shift: true })).effects).toEqual([]);
  });

  test('keep a prompt that is being edited a version of the same', () => {
    const step = run(command(edited, '/edit').state, pressed('left', { shift: true }));
    expect(chosen(step)).toEqual(['b']);
    expect(step.state.branch).toEqual({ parent: undefined, reason: 'edit' });
  });
});
