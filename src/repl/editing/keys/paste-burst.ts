import type { KeyEvent } from './key-event.ts';

function charactersOf(event: KeyEvent): string | undefined {
  if (event.type !== 'key') return event.text;
  if (event.alt || event.shift) return undefined;
  if (event.name === 'tab' && !event.ctrl) return '\t';
  return (event.name === 'enter' && !event.ctrl) || (event.name === 'j' && event.ctrl)
    ? '\n'
    : undefined;
}

/**
 * For terminals without bracketed paste: the events of one read as one paste when text follows a line end in
 * them, so that no line of it is sent by itself; the same events otherwise.
 */
export function joinPasteBurst(events: readonly KeyEvent[]): readonly KeyEvent[] {
  const first = events.findIndex((event) => event.type === 'key' && event.name === 'enter');
  if (first === -1 || !events.slice(first).some(({ type }) => type === 'text')) return events;
  const characters = events.map(charactersOf);
  if (characters.includes(undefined)) return events;
  return [{ type: 'paste', text: characters.join(''), keys: events }];
}

/** The keys of a burst up to its first Enter, and what comes after it. */
export function splitBurst(keys: readonly KeyEvent[]): {
  readonly line: readonly KeyEvent[];
  readonly rest: readonly KeyEvent[];
} {
  const end = keys.findIndex((event) => event.type === 'key' && event.name === 'enter') + 1;
  return { line: keys.slice(0, end), rest: joinPasteBurst(keys.slice(end)) };
}
