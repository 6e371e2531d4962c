import { moveTo, replaceRange, type Draft, type TextBuffer } from '../composer/text-buffer.ts';
import type { Effect } from '../state/effect.ts';
import type { ReplState } from '../state/state.ts';
import { step, type Step } from './step.ts';

/** The start of an absolute path or of its URL, in quotes or not. */
const pathStart = /^\s*["']?(?:\/(?!\/)|~\/|[a-z]:[\\/]|file:\/\/)/i;

/** Longer pastes are no list of dropped files. */
const maxLength = 10_000;

/** Whether a text that is inserted at the caret may be a dropped file; never in commands and within words. */
export function mayBeDropped({ text, cursor }: Draft, inserted: string): boolean {
  const isApart = cursor === 0 || /\s/.test(text.charAt(cursor - 1));
  const isPossible = isApart && inserted.length <= maxLength && pathStart.test(inserted);
  return isPossible && !/^[/!]/.test(text);
}

/** The check of a paste that may be a dropped file. */
export function dropCheck(before: TextBuffer, after: TextBuffer, text: string): readonly Effect[] {
  const { cursor: from } = before;
  if (!mayBeDropped(before, text)) return [];
  return [{ type: 'recognise-paths', from, inserted: after.text.slice(from, after.cursor), text }];
}

/** Replaces pasted paths by mentions, unless the text has changed; undo brings the paths back. */
export function onPathsRecognised(
  state: ReplState,
  from: number,
  inserted: string,
  mentions: string,
): Step {
  const { composer } = state;
  const end = from + inserted.length;
  if (composer.text.slice(from, end) !== inserted) return step(state);
  const hasBlank = /\s/.test(composer.text.charAt(end));
  const shown = mentions + (hasBlank ? '' : ' ');
  const replaced = replaceRange(composer, from, end, shown);
  const moved = composer.cursor + shown.length - inserted.length;
  const next = composer.cursor > end ? moveTo(replaced, moved) : replaced;
  return step({ ...state, composer: next, recognised: next.text });
}
