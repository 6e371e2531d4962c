import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Usage } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { Fault } from '../faults/fault-fields.ts';

export interface Ending {
  readonly finishReason: string;
  readonly usage: Required<Usage>;
}

export interface Completion {
  readonly id: string;
  readonly model: string;
  /** Lazy; can be iterated once. */
  readonly deltas: Iterable<string> | AsyncIterable<string>;
  /** For the deltas that were read so far. */
  ending(): Ending;
}

/** Undefined if the fault omits it. */
export function finishReasonOf(fault: Fault, { finishReason }: Ending): string | undefined {
  return fault['no-finish-reason'] === true ? undefined : (fault['finish-reason'] ?? finishReason);
}

/** Deltas to read before other requests get a turn. */
const deltasPerTurn = 10_000;

/** @throws Failure `server_error` if the text is over `limit` characters */
async function wholeText({ deltas }: Completion, limit: number): Promise<string> {
  const read: string[] = [];
  let length = 0;
  for await (const delta of deltas) {
    read.push(delta);
    length += delta.length;
    if (read.length % deltasPerTurn === 0) await nextTurn();
    if (length > limit) {
      const size = `over ${limit} characters, which is too long for one JSON body`;
      throw new Failure('server_error', `the answer is ${size}`, { hint: 'request a stream' });
    }
  }
  return read.join('');
}

/** @throws Failure `server_error` if the text is over `limit` characters */
export async function completionBody(
  completion: Completion,
  fault: Fault,
  limit: number,
): Promise<object> {
  const content = await wholeText(completion, limit);
  const ending = completion.ending();
  const finishReason = finishReasonOf(fault, ending);
  const text = fault.refusal === true ? { content: null, refusal: content } : { content };
  return {
    id: completion.id,
    object: 'chat.completion',
    model: completion.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...text },
        ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
      },
    ],
    ...(fault.usage === 'none' ? {} : { usage: ending.usage }),
  };
}
