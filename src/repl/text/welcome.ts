import { newLineKey } from '../composer/keys/key-bindings.ts';
import { notice, type Entry } from '../entry.ts';
import type { ReplState } from '../state.ts';
import { sourceName } from './status-text.ts';

/** The first row of a new conversation: who answers, and three keys to learn; in line mode a sentence. */
export function welcomeEntry({ service, settings, isLineMode, keyMap }: ReplState): Entry {
  const source = sourceName(service);
  if (isLineMode) {
    const where = source === undefined ? '' : `${source}, `;
    return notice(`${where}model ${settings.model}; /help lists the commands`);
  }
  const sources = source === undefined ? [] : [source];
  const newLine = newLineKey(keyMap);
  const parts = [
    'natter',
    ...sources,
    settings.model,
    '/help',
    '@file',
    ...(newLine === undefined ? [] : [`${newLine} new line`]),
  ];
  return { type: 'welcome', parts };
}
