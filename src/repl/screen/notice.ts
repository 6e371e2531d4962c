import { keyOf, neededKeyOf } from '../composer/keys/key-bindings.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import { namesNoCommand } from '../menu.ts';
import type { ReplState } from '../state.ts';
import { stopKey } from '../step.ts';

function stashText({ stash = [], composer, keyMap }: ReplState): string | undefined {
  const count = stash.length;
  if (count === 0) return undefined;
  const drafts = count === 1 ? 'the stashed draft' : `1 of ${count} drafts`;
  const key = isEmpty(composer) ? keyOf('stash', keyMap) : undefined;
  return key === undefined ? `after this prompt: ${drafts}` : `${key} restores ${drafts}`;
}

/** What the queue waits for. Enter sends a draft first, if there is one. */
function pausedQueueText({ composer, activity, keyMap }: ReplState): string | undefined {
  if (activity !== undefined) return undefined;
  if (!isEmpty(composer)) return 'the queue is sent after this prompt';
  const up = keyOf('move-up', keyMap);
  const sends = `${neededKeyOf('send', keyMap)} sends the queue`;
  return up === undefined ? sends : `${sends}, ${up} edits it`;
}

/** Notices fit into a window of 40 columns. */
export function noticeOf(state: ReplState): string | undefined {
  const { branch, queue, completion, composer, recognised, keyMap, vi, armed } = state;
  const interrupt = neededKeyOf('interrupt', keyMap);
  if (completion?.isPartial === true) return 'not all files searched; type a folder/';
  if (composer.text === recognised && recognised !== '') {
    const undo = keyOf('undo', keyMap);
    return `@ attaches the file${undo === undefined ? '' : `; ${undo} undoes it`}`;
  }
  if (armed === 'interrupt') return `press ${interrupt} again to quit`;
  if (armed === 'stop') return `${stopKey(state)} again edits an earlier prompt`;
  if (armed === 'send') {
    const isTyping = vi === undefined || vi.mode === 'insert';
    return isTyping ? `press ${neededKeyOf('send', keyMap)} again to quit` : 'press Enter to quit';
  }
  if (branch?.reason === 'edit') return `new version; ${interrupt} keeps the old one`;
  if (namesNoCommand(state)) return 'no such command; /help lists them';
  const queueText = queue.length > 0 && state.isQueuePaused ? pausedQueueText(state) : undefined;
  return queueText ?? stashText(state);
}
