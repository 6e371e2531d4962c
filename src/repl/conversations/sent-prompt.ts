import { splitPrompt, type AttachedFile } from '../../conversation/compose-prompt.ts';
import { count } from '../../output/figures.ts';
import { createHistory, type History, recalledDraft } from '../composer/history.ts';
import { contentOf, shownText, typedPrompt } from '../composer/paste.ts';
import { createBuffer, withDraft, type TextBuffer } from '../composer/text-buffer.ts';
import { notice, type Entry } from '../transcript/transcript.ts';

/** Restores a sent prompt to the composer: as typed if known, else with a long text as a paste marker. */
export function withSent(buffer: TextBuffer, history: History, sent: string): TextBuffer {
  const texts = new Set([sent, typedPrompt(sent)]);
  const pasted = history.entries.findLast(
    (draft) => draft.pastes.size > 0 && texts.has(contentOf(draft)),
  );
  if (pasted !== undefined) return withDraft(buffer, { ...pasted, cursor: pasted.text.length });
  const draft = recalledDraft(sent, buffer.pasteCount + 1);
  const text = typedPrompt(draft.text);
  return withDraft(buffer, { ...draft, text, cursor: text.length });
}

const bytesOf = ({ content }: AttachedFile) => Buffer.byteLength(content);

/** More files are not named, but counted. */
const maxNamed = 8;

export function attachedEntries(files: readonly AttachedFile[]): readonly Entry[] {
  if (files.length <= maxNamed) {
    return files.map((file) => notice(`attached ${file.name} (${count(bytesOf(file))} bytes)`));
  }
  const bytes = files.reduce((sum, file) => sum + bytesOf(file), 0);
  return [notice(`attached ${count(files.length)} files (${count(bytes)} bytes)`)];
}

/** The start of a recorded prompt, up to some UTF-16 units, and the names of the files that it does not mention. */
export function promptWithNames(content: string, length: number): string {
  const { prompt, files } = splitPrompt(content);
  const names = files.map(({ name }) => `@${name}`).filter((name) => !prompt.includes(name));
  return [prompt.slice(0, length), ...names].join(' ');
}

/** Shows a recorded prompt again: files by name, long text as a paste marker. */
export function sentEntries(content: string): readonly Entry[] {
  const { prompt, files } = splitPrompt(content);
  const { text, pastes } = withSent(createBuffer(), createHistory(), prompt);
  const isEscaped = /^[/!]/.test(prompt) && /^(?:\/\/| !)/.test(text);
  const typed = isEscaped ? text.slice(1) : text;
  const shown = shownText({ text: typed, pastes });
  return [{ type: 'prompt', text: shown, needsEcho: true }, ...attachedEntries(files)];
}
