import { forgetFailures, type Tally } from '../../../batch/tally.ts';
import { Failure } from '../../../failure.ts';
import { count } from '../../../output/figures.ts';
import type { Notices } from '../../../output/notices.ts';
import type { BatchInput } from '../items.ts';

/** @throws Failure `usage` if failed items cannot be found again */
export function refuseRounds(rounds: number, output: string | undefined, input: BatchInput): void {
  if (rounds === 0) return;
  if (output !== undefined && input.isRepeatable) return;
  throw new Failure('usage', '--rerun-failed needs -o FILE and a named input file', {
    hint: 'for example: natter batch prompts.txt -o answers.jsonl --rerun-failed 2',
  });
}

/** Whether a failure other than that of an invalid line is left. */
function canImprove({ failed, causes }: Tally): boolean {
  return failed > (causes.get('usage') ?? 0);
}

/** Sends all items, and then failed ones again, at most `rounds` times. @param sendAll sends what has no answer */
export async function runRounds(
  rounds: number,
  tally: Tally,
  notices: Pick<Notices, 'notice'>,
  stop: AbortSignal,
  sendAll: () => Promise<void>,
): Promise<void> {
  await sendAll();
  for (let round = 1; round <= rounds && canImprove(tally) && !stop.aborted; round += 1) {
    const items = tally.failed === 1 ? 'item' : 'items';
    notices.notice(`sending ${count(tally.failed)} failed ${items} again (${round} of ${rounds})`);
    forgetFailures(tally);
    await sendAll();
  }
}
