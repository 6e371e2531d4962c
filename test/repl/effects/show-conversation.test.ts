import { expect, test } from 'vitest';
import { showConversation } from '../../../src/repl/effects/show-conversation.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { enter as enterKey } from '../../support/repl-state.ts';

test('a prompt that is edited takes the file it mentions along once, as it was', async () => {
  const { session, enter, idle, requests } = createMemorySession();
  enter('see @notes.md');
  await idle();
  enter('/edit');
  session.dispatch(enterKey);
  await idle();
  expect(requests[1]?.messages).toEqual(requests[0]?.messages);
});

test('a prompt that is shown again names its files, and a long text is a marker', async () => {
  const { session, enter, idle } = createMemorySession();
  enter(`see @notes.md\n\n${'line\n'.repeat(100)}`);
  await idle();
  expect(showConversation(session.state().conversation).slice(1, 3)).toEqual([
    { type: 'prompt', text: 'see @notes.md\n\n[paste #1, 100 lines]', isEarlier: true },
    { type: 'notice', text: 'attached notes.md (20 bytes)' },
  ]);
});
