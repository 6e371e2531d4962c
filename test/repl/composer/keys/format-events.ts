import { chordOf, type KeyEvent } from '../../../../src/repl/composer/keys/key-event.ts';
import { KeyParser } from '../../../../src/repl/composer/keys/key-parser.ts';

/** `"text"`, `<chord>` or `paste "text"` for each event. */
export function formatEvents(events: readonly KeyEvent[]): string {
  return events
    .map((event) => {
      if (event.type === 'key') return `<${chordOf(event)}>`;
      return `${event.type === 'paste' ? 'paste ' : ''}${JSON.stringify(event.text)}`;
    })
    .join(' ');
}

/** The events of one read, formatted. */
export function parse(input: string | Uint8Array): string {
  return formatEvents(new KeyParser().feed(input));
}

/** Joins consecutive texts, which depend on where reads end. */
export function joinTexts(events: readonly KeyEvent[]): KeyEvent[] {
  const joined: KeyEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === 'text' && last?.type === 'text') {
      joined.splice(-1, 1, { type: 'text', text: last.text + event.text });
    } else {
      joined.push(event);
    }
  }
  return joined;
}

export function inPaste(text: string): string {
  return `\u001B[200~${text}\u001B[201~`;
}
