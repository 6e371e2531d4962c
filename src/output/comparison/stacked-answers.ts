import type { ChatEvent } from '../../client/events.ts';
import type { Style } from '../../terminal/style.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import type { TextPrinter } from '../answer-printer.ts';
import type { ComparisonView } from './comparison-view.ts';

export interface StackedOptions {
  readonly stdout: OutputStream;
  readonly style: Style;
  /** Safe to show. */
  readonly labels: readonly string[];
  /** Called once for each answer. */
  readonly printers: readonly TextPrinter[];
  readonly removed: () => number;
}

/** In the format of `head` and `tail`. */
export function heading(label: string, style: Style): string {
  return `${style.bold(`==> ${label} <==`)}\n`;
}

/** One answer, with the events that arrived before its turn to be printed. */
interface Slot {
  readonly waiting: ChatEvent[];
  isOver: boolean;
  isOpen: boolean;
}

/** Prints an event; the first text is preceded by the heading. */
function createPrint({ stdout, style, labels, printers }: StackedOptions, slots: readonly Slot[]) {
  let isFirst = true;
  return async (index: number, event: ChatEvent): Promise<void> => {
    const slot = slots[index];
    const isAnswer = event.type === 'text-received' || event.type === 'answer-finished';
    if (slot === undefined || !isAnswer) return;
    if (!slot.isOpen) {
      await stdout.write(`${isFirst ? '' : '\n'}${heading(labels[index] ?? '', style)}`);
      isFirst = false;
    }
    slot.isOpen = true;
    await printers[index]?.event(event);
  };
}

/** In the requested order: the first answer while it streams, the others from a buffer. Without text, no heading. */
export function createStackedAnswers(options: StackedOptions): ComparisonView {
  const { labels, printers, removed } = options;
  const slots = labels.map((): Slot => {
    return { waiting: [], isOver: false, isOpen: false };
  });
  const print = createPrint(options, slots);
  let current = 0;
  let order: Promise<void> = Promise.resolve();
  const inOrder = (act: () => Promise<void>) => (order = order.then(act));

  const advance = async () => {
    for (let slot = slots[current]; slot !== undefined; slot = slots[current]) {
      for (const event of slot.waiting.splice(0)) await print(current, event);
      if (!slot.isOver) return;
      await printers[current]?.end();
      current += 1;
    }
  };
  return {
    removed,
    event(index, event) {
      if (index === current) return inOrder(() => print(index, event));
      slots[index]?.waiting.push(event);
      return undefined;
    },
    ended(index) {
      const slot = slots[index];
      if (slot !== undefined) slot.isOver = true;
      return inOrder(advance);
    },
    async close() {
      for (const slot of slots) slot.isOver = true;
      await inOrder(advance);
    },
  };
}
