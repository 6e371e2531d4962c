import { pasteLabel, type Fragment } from '../editing/keys/paste.ts';

/** A text as the composer shows it: each long paste as its marker. */
export function shownText({ text, pastes }: Fragment): string {
  if (pastes.size === 0) return text;
  return text.replaceAll(/\p{Surrogate}/gu, (standIn) => {
    const paste = pastes.get(standIn);
    return paste === undefined ? '' : pasteLabel(paste);
  });
}
