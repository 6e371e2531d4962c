import { eventOfSequence } from './keys/key-sequence.ts';
import { cleanText } from './paste.ts';

/** Focus and mouse reports that terminals send in the middle of a paste. */
const reports = /\u001B\[(?:[IO]|<\d+;\d+;\d+[Mm]|M[ -\u00FF]{3}|200~)/g;
const codedKeys = /\u001B\[(?:([\d;:]+)(u)|(27;\d+;\d+)(~))/g;
const breaks = new Map([
  ['enter', '\n'],
  ['j', '\n'],
  ['m', '\n'],
  ['tab', '\t'],
  ['i', '\t'],
]);

/** With the kitty protocol or modifyOtherKeys, some terminals send a paste's line ends as encoded keys. */
function decodeKey(parameters: string, final: string): string {
  const event = eventOfSequence(parameters, final);
  if (event === undefined || event.type === 'paste') return '';
  return event.type === 'text' ? event.text : (breaks.get(event.name) ?? '');
}

/** The text of a bracketed paste: reports removed, encoded keys as characters, line ends as `\n`. */
export function pastedText(raw: string): string {
  if (!raw.includes('\u001B[')) return cleanText(raw);
  const text = raw
    .replaceAll(reports, '')
    .replaceAll(codedKeys, (_, code?: string, u?: string, other?: string, tilde?: string) =>
      decodeKey(code ?? other ?? '', u ?? tilde ?? ''),
    );
  return cleanText(text);
}
