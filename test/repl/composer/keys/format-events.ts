import { chordOf, type KeyEvent } from '../../../../src/repl/composer/keys/key-event.ts';

/** `"text"`, `<chord>` or `paste "text"` for each event. */
export function formatEvents(events: readonly KeyEvent[]): string {
  return events
    .map((event) => {
      if (event.type === 'key') return `<${chordOf(event)}>`;
      return `${event.type === 'paste' ? 'paste ' : ''}${JSON.stringify(event.text)}`;
    })
    .join(' ');
}
