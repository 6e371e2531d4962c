import type { ChatEvent } from '../client/events.ts';
import type { AnswerOutcome } from './answer-meter.ts';
import {
  type CheckedFields,
  answerFields,
  eventRecords,
  failureRecord,
  jsonLine,
} from './json-answer.ts';
import type { OutputStream } from '../terminal/device/streams.ts';
import { answerTokens, tokensPerSecond } from './figures.ts';
import type { Failure } from '../failure.ts';
import type { Context } from '../run.ts';
import { failureFields, stoppedAnswer } from './ending-failure.ts';
import type { Style } from '../terminal/style.ts';
import type { TextPrinter } from './answer-printer.ts';

/** The answer of one model, or why it is missing; the failure is undefined too if the user stopped it. */
export interface ComparedAnswer extends AnswerOutcome {
  /** The model as named by the user, with a number if it is compared with itself. */
  readonly label: string;
  readonly model: string;
  readonly content: string;
  readonly checked?: CheckedFields;
}

/** Shows several answers while they stream, identified by their index in the requested order. */
export interface ComparisonView {
  /** A promise is returned while the reader is slow: await it before the next event of this answer. */
  event(index: number, event: ChatEvent): Promise<void> | undefined;
  ended(index: number, answer: ComparedAnswer): Promise<void> | undefined;
  /** Call after the last event of all answers. */
  close(): Promise<void>;
  removed(): number;
}

/** The service's finish reason, or why the answer was cut, in one word. */
export function endReasonOf({ metadata, failure }: ComparedAnswer): string {
  if (failure !== undefined) return failure.kind;
  return metadata.complete ? (metadata.finishReason ?? '-') : 'stopped';
}

function causeOf({ failure, metadata }: ComparedAnswer): Failure | undefined {
  return failure ?? (metadata.complete ? undefined : stoppedAnswer());
}

function documentOf(answer: ComparedAnswer, context: Context): string {
  const { label, model, content, metadata, checked } = answer;
  const cause = causeOf(answer);
  const { usage, timing } = metadata;
  const { tokens, isEstimate } = answerTokens({ usage, content });
  const line = jsonLine({
    asked: label,
    ...answerFields(metadata, content, model),
    tokens_per_second: tokensPerSecond(tokens, timing) ?? null,
    tokens_estimated: isEstimate ? true : undefined,
    ...checked?.fields,
    ...failureFields(cause, context),
  });
  return checked?.withValue(line) ?? line;
}

/**
 * One document when all answers have ended: `{answers: [{asked, …, tokens_per_second}]}`, each with the fields of
 * `natter --json`, and `error` if it is incomplete.
 */
export function createComparisonDocument(context: Context): ComparisonView {
  const answers: ComparedAnswer[] = [];
  return {
    event: () => undefined,
    ended: (index, answer) => void (answers[index] = answer),
    close: async () => {
      const documents = answers.map((answer) => documentOf(answer, context).trimEnd());
      await context.streams.stdout.write(`{"answers":[${documents.join(',')}]}\n`);
    },
    removed: () => 0,
  };
}

/** The lines of `natter --jsonl` as they happen, each with the requested model in `asked`. */
export function createComparisonLines(context: Context, labels: readonly string[]): ComparisonView {
  const { stdout } = context.streams;
  const line = (index: number, record: object) => jsonLine({ asked: labels[index], ...record });
  return {
    event(index, event) {
      const lines = eventRecords(event).map((record) => line(index, record));
      return stdout.write(lines.join(''));
    },
    ended(index, answer) {
      const { checked, metadata } = answer;
      const record = checked && line(index, { type: 'answer-checked', ...checked.fields });
      const cause = causeOf(answer);
      const failed = cause && line(index, failureRecord(cause, metadata, context));
      const text = `${record === undefined ? '' : checked?.withValue(record)}${failed ?? ''}`;
      return text === '' ? undefined : stdout.write(text);
    },
    close: async () => undefined,
    removed: () => 0,
  };
}

/** Whether an event is shown as the answer: its text, and its end. */
export const isOfAnswer = ({ type }: ChatEvent) =>
  type === 'text-received' || type === 'answer-finished';

/** The heading of an answer in the format of `head` and `tail`. */
export function heading(label: string, style: Style): string {
  return `${style.bold(`==> ${label} <==`)}\n`;
}

/**
 * In the requested order: the first answer while it streams, the others from a buffer. Without text, no heading.
 * @param labels safe to show
 * @param printers one for each answer
 */
export function createStackedAnswers(
  stdout: OutputStream,
  style: Style,
  labels: readonly string[],
  printers: readonly TextPrinter[],
): ComparisonView {
  const slots = labels.map((label, index) => {
    return { label, printer: printers[index], waiting: [] as ChatEvent[], isOver: false };
  });
  let isFirst = true;
  let isOpen = false;
  let current = 0;
  let order: Promise<void> = Promise.resolve();
  const printWaiting = async () => {
    for (let slot = slots[current]; slot !== undefined; slot = slots[current]) {
      for (const event of slot.waiting.splice(0)) {
        if (!isOpen) await stdout.write(`${isFirst ? '' : '\n'}${heading(slot.label, style)}`);
        isFirst = false;
        isOpen = true;
        await slot.printer?.event(event);
      }
      if (!slot.isOver) return;
      await slot.printer?.end();
      isOpen = false;
      current += 1;
    }
  };
  const advance = () => (order = order.then(printWaiting));
  return {
    removed: () => printers.reduce((sum, printer) => sum + (printer.removed?.() ?? 0), 0),
    event(index, event) {
      if (isOfAnswer(event)) slots[index]?.waiting.push(event);
      return index === current ? advance() : undefined;
    },
    ended(index) {
      const slot = slots[index];
      if (slot !== undefined) slot.isOver = true;
      return advance();
    },
    async close() {
      for (const slot of slots) slot.isOver = true;
      await advance();
    },
  };
}
