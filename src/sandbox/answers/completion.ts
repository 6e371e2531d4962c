import type { Usage } from '../../client/contract.ts';
import type { Fault } from '../faults/fault-fields.ts';

/** How an answer ends. */
export interface Ending {
  readonly finishReason: string;
  readonly usage: Required<Usage>;
}

/** Deltas in groups: those of one group are there at once, and the next group may have to be waited for. */
export type DeltaGroups = Iterable<Iterable<string>> | AsyncIterable<Iterable<string>>;

/** An answer to be given. */
export interface Completion {
  readonly id: string;
  readonly model: string;
  /** Made only as fast as they are taken, and only once. */
  readonly deltas: DeltaGroups;
  /** As far as the deltas were taken. */
  ending(): Ending;
}

/** Undefined when it is to be left out. */
export function finishReasonOf(fault: Fault, { finishReason }: Ending): string | undefined {
  return fault['no-finish-reason'] === true ? undefined : (fault['finish-reason'] ?? finishReason);
}

/** Body of an answer that does not stream. */
export async function completionBody(completion: Completion, fault: Fault): Promise<object> {
  const deltas: string[] = [];
  for await (const group of completion.deltas) {
    for (const delta of group) deltas.push(delta);
  }
  const content = deltas.join('');
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
