import { editActions } from '../editing/edit-actions.ts';
import { chordOf, type KeyEvent } from '../editing/keys/key-event.ts';
import { createKeyParser } from '../editing/keys/key-parser.ts';
import { contentOf } from '../editing/paste.ts';
import { clearBuffer, createBuffer, insert } from '../editing/text-buffer.ts';

export interface SecretReaderOptions {
  readonly enter: (text: string) => void;
  readonly cancel: () => void;
}

/** Reads one hidden line at a time from a raw terminal. */
export function createSecretReader({ enter, cancel }: SecretReaderOptions): {
  feed(bytes: Uint8Array): void;
} {
  const parser = createKeyParser();
  let buffer = createBuffer();
  const finish = (act: (text: string) => void) => {
    const text = contentOf(buffer);
    buffer = clearBuffer(buffer);
    act(text);
  };
  const onKey = (event: KeyEvent) => {
    if (event.type !== 'key') {
      buffer = insert(buffer, event.text.replaceAll(/\s+/g, ' '));
      return;
    }
    const chord = chordOf(event);
    if (chord === 'enter' || chord === 'ctrl+j') finish(enter);
    if (chord === 'ctrl+c' || chord === 'ctrl+d') finish(cancel);
    if (chord === 'backspace' || chord === 'ctrl+h') buffer = editActions['delete-left'](buffer);
    if (chord === 'ctrl+u') buffer = clearBuffer(buffer);
  };
  return {
    feed(bytes) {
      for (const event of parser.feed(bytes)) onKey(event);
    },
  };
}
