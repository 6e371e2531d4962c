import type { KeyEvent } from './key-event.ts';

function charactersOf(event: KeyEvent): string | undefined {
  if (event.type !== 'key') return event.text;
  if (event.alt || event.shift) return undefined;
  if (event.name === 'tab' && !event.ctrl) return '\t';
  return (event.name === 'enter' && !event.ctrl) || (event.name === 'j' && event.ctrl)
    ? '\n'
    : undefined;
}

/** Without bracketed paste, events of one read are a paste if text follows a line end: its lines are not sent. */
export function joinPasteBurst(events: readonly KeyEvent[]): readonly KeyEvent[] {
  const first = events.findIndex((event) => event.type === 'key' && event.name === 'enter');
  if (first === -1 || !events.slice(first).some(({ type }) => type === 'text')) return events;
  const characters = events.map(charactersOf);
  if (characters.includes(undefined)) return events;
  return [{ type: 'paste', text: characters.join(''), keys: events }];
}

/** Splits the keys of a burst after its first Enter. */
export function splitBurst(keys: readonly KeyEvent[]): {
  readonly line: readonly KeyEvent[];
  readonly rest: readonly KeyEvent[];
} {
  const end = keys.findIndex((event) => event.type === 'key' && event.name === 'enter') + 1;
  return { line: keys.slice(0, end), rest: joinPasteBurst(keys.slice(end)) };
}
