import { openDraft } from './write-results.ts';

/** UTF-16 units that are written together. */
const blockUnits = 1 << 16;

/** Writes texts into a file atomically. @throws the system's error; errors of `texts` */
export async function replaceWithTexts(file: string, texts: AsyncIterable<string>): Promise<void> {
  const draft = openDraft(file, '.draft');
  try {
    let block = '';
    for await (const text of texts) {
      block += text;
      if (block.length < blockUnits) continue;
      draft.write([Buffer.from(block)]);
      block = '';
    }
    draft.write([Buffer.from(block)]);
    draft.publish();
  } catch (error) {
    draft.discard();
    throw error;
  }
}
