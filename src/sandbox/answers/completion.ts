import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Usage } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { Fault } from '../faults/fault-fields.ts';

/** How an answer ends. */
export interface Ending {
  readonly finishReason: string;
  readonly usage: Required<Usage>;
}

/** Deltas in groups: those of one group are ready together; the next group may take time. */
export type DeltaGroups = Iterable<Iterable<string>> | AsyncIterable<Iterable<string>>;

export interface Completion {
  readonly id: string;
  readonly model: string;
  /** Made only as fast as they are taken, and only once. */
  readonly deltas: DeltaGroups;
  /** As far as the deltas were taken. */
  ending(): Ending;
}

/** Undefined when it is left out. */
export function finishReasonOf(fault: Fault, { finishReason }: Ending): string | undefined {
  return fault['no-finish-reason'] === true ? undefined : (fault['finish-reason'] ?? finishReason);
}

/** Deltas that are taken before other requests have their turn. */
const deltasAtOnce = 10_000;

/** All text of an answer. @throws Failure `server_error` when it is over `limit` characters */
async function wholeText({ deltas }: Completion, limit: number): Promise<string> {
  const taken: string[] = [];
  let length = 0;
  for await (const group of deltas) {
    for (const delta of group) {
      taken.push(delta);
      length += delta.length;
      if (taken.length % deltasAtOnce === 0) await nextTurn();
      if (length > limit) {
        const size = `over ${limit} characters, which is too long for one JSON body`;
        throw new Failure('server_error', `the answer is ${size}`, { hint: 'ask for a stream' });
      }
    }
  }
  return taken.join('');
}

/**
 * Body of an answer that does not stream.
 * @throws Failure `server_error` when its text is over `limit` characters
 */
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
