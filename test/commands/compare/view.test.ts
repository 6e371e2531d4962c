import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../src/client/events.ts';
import { showAnswer } from '../../../src/commands/compare/view.ts';
import type { ComparisonView } from '../../../src/output/comparison/comparison-view.ts';
import { resolveSettings } from '../../../src/settings/resolve.ts';
import { storedWith } from '../../settings/fixtures/stored.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

test('shows the text that the client held back and releases after an abort', async () => {
  const controller = new AbortController();
  const shown: string[] = [];
  const view: ComparisonView = {
    event(_, event) {
      if (event.type === 'text-received') shown.push(event.text);
      return undefined;
    },
    ended: () => undefined,
    close: () => Promise.resolve(),
    removed: () => 0,
  };
  async function* events(): AsyncGenerator<ChatEvent> {
    yield { type: 'text-received', text: 'the end is nk-', deltas: ['the end is nk-'] };
    controller.abort(new Error('interrupted'));
    yield { type: 'text-received', text: 'open', deltas: ['open'] };
    throw controller.signal.reason;
  }
  const answer = await showAnswer(events(), {
    index: 0,
    label: 'origin',
    settings: resolveSettings({ flags: {}, environment: {}, stored: storedWith() }),
    view,
    clock: createFakeClock(),
    signal: controller.signal,
  });
  expect(answer.content).toBe('the end is nk-open');
  expect(shown).toEqual(['the end is nk-', 'open']);
});
