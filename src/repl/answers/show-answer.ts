import type { Answer, Sink } from '../../ask/ask.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { Session } from '../session.ts';

/** UTF-16 units of text that may wait for an update; then reading waits, too. */
const maxWaiting = 16_384;

/** An event with the text of an earlier one of the same kind before its own; undefined if they cannot be joined. */
function joined(earlier: ChatEvent | undefined, event: ChatEvent): ChatEvent | undefined {
  if (earlier === undefined || !('text' in earlier) || !('text' in event)) return undefined;
  if (earlier.type !== event.type) return undefined;
  const text = earlier.text + event.text;
  return event.type === 'text-received' ? { ...event, text, deltas: [text] } : { ...event, text };
}

/**
 * Shows events at the pace of the screen, which is updated at most once in 33 ms: texts that arrive before that are
 * joined, so that they are formatted and drawn together. Reading continues meanwhile, so that what the service sent is
 * recorded at once.
 */
export function gatherTexts(
  show: (event: ChatEvent) => Promise<void>,
  nextUpdate: () => Promise<void> | undefined,
) {
  let waiting: ChatEvent[] = [];
  let size = 0;
  let showing: Promise<void> | undefined;
  const showAll = async () => {
    while (waiting.length > 0) {
      await nextUpdate();
      const taken = waiting;
      waiting = [];
      size = 0;
      for (const event of taken) await show(event);
    }
    showing = undefined;
  };
  return {
    /** @returns a promise if much waits: it resolves when that is shown */
    event: (event: ChatEvent): Promise<void> | undefined => {
      if ('text' in event) size += event.text.length;
      const longer = joined(waiting.at(-1), event);
      if (longer === undefined) waiting.push(event);
      else waiting[waiting.length - 1] = longer;
      showing ??= showAll();
      // `end` throws it.
      showing.catch(() => undefined);
      return size > maxWaiting ? showing : undefined;
    },
    /** Resolves when everything is shown. */
    end: async (): Promise<void> => showing,
  };
}

/** Shows an answer in the transcript. */
export function createView(session: Session, model: string) {
  const { transcript, context, screen } = session;
  const shown = {
    isOpen: false,
    lateReasoning: '',
    /** Reasoning that the service sent as text of the answer was not shown. */
    hidesThought: false,
  };
  const open = async () => {
    if (shown.isOpen) return;
    shown.isOpen = true;
    await transcript.openAnswer(model);
  };
  const show = async (event: ChatEvent): Promise<void> => {
    session.dispatch({ type: 'chat-event', event, now: context.clock.monotonic() });
    if (event.type === 'text-received') {
      await open();
      await transcript.answerText(event.text);
      session.dispatch({ type: 'undecided-changed', text: transcript.undecided() });
    } else if (event.type === 'reasoning-received' && session.state().showsReasoning) {
      if (shown.isOpen) shown.lateReasoning += event.text;
      else await transcript.reasoningText(event.text);
    } else if (event.type === 'reasoning-received') {
      shown.hidesThought ||= event.received !== undefined;
    }
  };
  const gathering = gatherTexts(show, () => screen.nextUpdate());
  return Object.assign(shown, {
    sink: { event: (event) => gathering.event(event) } satisfies Sink,
    /** Resolves when all that was received is shown. */
    ended: () => gathering.end(),
    /** Opens the answer for the end of one without text, but not for a refusal: that is shown as a notice. */
    openForEnd: ({ metadata }: Answer) =>
      metadata.refusal === undefined ? open() : Promise.resolve(),
  });
}

export type View = ReturnType<typeof createView>;
