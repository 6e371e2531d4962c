import { readAnswer } from '../../src/client/stream/answer-reader.ts';
import { unmasked } from './secret.ts';
import type { StreamEnd, AnswerPart } from '../../src/client/stream/answer-parts.ts';

/** A body that arrives in the given reads; texts are sent as UTF-8. */
export async function* bodyOf(
  reads: Iterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const read of reads) yield typeof read === 'string' ? Buffer.from(read) : read;
}

/** The parts that were yielded, and the error, if any. */
export interface Reading {
  readonly parts: readonly AnswerPart[];
  readonly thrown: unknown;
}

export async function readParts(
  reads: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>,
  contentType: string | undefined = 'text/event-stream',
  { onContent, limit }: { readonly onContent?: () => void; readonly limit?: number } = {},
): Promise<Reading> {
  const body = Symbol.asyncIterator in reads ? reads : bodyOf(reads);
  const parts: AnswerPart[] = [];
  try {
    const reading = readAnswer(body, contentType, unmasked, onContent, limit);
    for await (const part of reading) parts.push(part);
    return { parts, thrown: undefined };
  } catch (thrown) {
    return { parts, thrown };
  }
}

export function textOf(
  parts: readonly AnswerPart[],
  type: 'text' | 'reasoning' | 'refusal',
): string {
  const wanted = `${type}-received`;
  return parts.map((part) => ('text' in part && part.type === wanted ? part.text : '')).join('');
}

export function endOf(parts: readonly AnswerPart[]): StreamEnd | undefined {
  return parts.find((part) => part.type === 'end');
}
