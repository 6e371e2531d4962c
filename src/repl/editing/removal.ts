import { nextBoundary, previousBoundary } from './grapheme-boundary.ts';
import { targetOf } from './motion.ts';
import type { Motion } from './motion.ts';
import { adoptFragment } from './paste.ts';
import type { Fragment } from './paste.ts';
import { replaceRange, settle } from './text-buffer.ts';
import type { TextBuffer } from './text-buffer.ts';

const ringSize = 30;

function rangeOf(buffer: TextBuffer, motion: Motion): { from: number; to: number } {
  const { text, cursor } = buffer;
  let target = targetOf(buffer, motion);
  // At the end of a line, the line end itself is removed.
  if (target === cursor && motion === 'line-end') target = nextBoundary(text, cursor);
  if (target === cursor && motion === 'line-start') target = previousBoundary(text, cursor);
  return { from: Math.min(cursor, target), to: Math.max(cursor, target) };
}

/** Deletes up to the target of a motion: `left` is Backspace, `right` is Delete. */
export function remove(buffer: TextBuffer, motion: Motion): TextBuffer {
  const { from, to } = rangeOf(buffer, motion);
  return replaceRange(buffer, from, to, '', { kind: 'remove' });
}

/** Cuts up to the target of a motion for `yank`; consecutive kills are joined. */
export function kill(buffer: TextBuffer, motion: Motion): TextBuffer {
  const { from, to } = rangeOf(buffer, motion);
  if (from === to) return settle(buffer);
  const killed = buffer.text.slice(from, to);
  const killRing = withKilled(buffer, killed, from < buffer.cursor);
  return { ...replaceRange(buffer, from, to, '', { kind: 'kill' }), killRing };
}

function withKilled(buffer: TextBuffer, killed: string, isBackward: boolean): Fragment[] {
  const { killRing, pastes, lastEdit } = buffer;
  const [newest, ...older] = killRing;
  if (lastEdit?.kind !== 'kill' || newest === undefined) {
    return [{ text: killed, pastes }, ...killRing].slice(0, ringSize);
  }
  return [{ text: isBackward ? killed + newest.text : newest.text + killed, pastes }, ...older];
}

function putKilled(buffer: TextBuffer, from: number, index: number): TextBuffer {
  const entry = buffer.killRing[index];
  if (entry === undefined) return buffer;
  const { text, pastes } = adoptFragment(buffer.pastes, entry);
  const put = replaceRange({ ...buffer, pastes }, from, buffer.cursor, text);
  return { ...put, lastEdit: { kind: 'yank', from, index } };
}

/** Inserts the last killed text. */
export function yank(buffer: TextBuffer): TextBuffer {
  return putKilled(buffer, buffer.cursor, 0);
}

/** Directly after a yank, replaces it by the previously killed text; otherwise does nothing. */
export function yankPop(buffer: TextBuffer): TextBuffer {
  const { lastEdit, killRing } = buffer;
  if (lastEdit?.kind !== 'yank') return buffer;
  return putKilled(buffer, lastEdit.from, (lastEdit.index + 1) % killRing.length);
}

/** Swaps the characters around the caret and moves past them; at the end of a line, swaps the two before it. */
export function transpose(buffer: TextBuffer): TextBuffer {
  const { text, cursor } = buffer;
  const isLineEnd = cursor === text.length || text.charAt(cursor) === '\n';
  const middle = isLineEnd ? previousBoundary(text, cursor) : cursor;
  const from = previousBoundary(text, middle);
  const to = nextBoundary(text, middle);
  const before = text.slice(from, middle);
  const after = text.slice(middle, to);
  if (before === '' || after === '' || before === '\n' || after === '\n') return settle(buffer);
  return replaceRange(buffer, from, to, after + before);
}
