import { moveTo, type TextBuffer } from '../text-buffer.ts';
import { asOneEdit, endInsertion, type Edited } from './insertion.ts';
import { isLineEnd, onCharacter } from './lines.ts';
import { parseKeys, type Command } from './parse-keys.ts';
import { insertAgain, repeatChange, runCommand, type Ran } from './run-command.ts';
import { isVisual, type ViState } from './vi-state.ts';
import { leaveVisual, repeatVisual, runVisual } from './visual.ts';

function repeatLast(vi: ViState, buffer: TextBuffer, count: number | undefined): Ran {
  const { change } = vi;
  if (change?.extent === undefined) return repeatChange(vi, buffer, count);
  const begun = repeatVisual(vi, buffer, change.extent);
  const typed = insertAgain(begun, change);
  return { vi: { ...typed.vi, change }, buffer: asOneEdit(buffer, typed.buffer) };
}

function run(vi: ViState, buffer: TextBuffer, command: Command): Ran {
  if (isVisual(vi)) return runVisual(vi, buffer, command);
  if (command.kind === 'other' && command.name === '.')
    return repeatLast(vi, buffer, command.count);
  return runCommand(vi, buffer, command);
}

/** A character typed in normal or visual mode. */
export function pressCharacter(vi: ViState, buffer: TextBuffer, character: string): Ran {
  const pending = [...vi.pending, character];
  const command = parseKeys(pending, isVisual(vi));
  if (command === 'incomplete') return { vi: { ...vi, pending }, buffer };
  const idle = { ...vi, pending: [] };
  return command === 'invalid' ? { vi: idle, buffer } : run(idle, buffer, command);
}

/** Ctrl+R in normal mode. */
export function redoChange(vi: ViState, buffer: TextBuffer): Ran {
  const counted = parseKeys([...vi.pending, 'u'], false);
  const count = typeof counted === 'string' ? undefined : counted.count;
  const command: Command = { kind: 'other', name: 'redo', character: '', count };
  return runCommand({ ...vi, pending: [] }, buffer, command);
}

/** Esc: ends an insertion, a selection or an incomplete command; undefined if there is none. */
export function pressEscape(vi: ViState, buffer: TextBuffer): Edited | undefined {
  if (vi.mode === 'insert' || vi.mode === 'replace') return endInsertion(vi, buffer);
  if (vi.pending.length > 0) return { vi: { ...vi, pending: [] }, buffer };
  return isVisual(vi) ? leaveVisual(vi, buffer) : undefined;
}

/** In normal mode, the caret is on a character. */
export function settled(vi: ViState, buffer: TextBuffer): TextBuffer {
  const { text, cursor } = buffer;
  const isBeyond = vi.mode === 'normal' && isLineEnd(text, cursor);
  const at = isBeyond ? onCharacter(text, cursor) : cursor;
  return at === cursor ? buffer : moveTo(buffer, at);
}
