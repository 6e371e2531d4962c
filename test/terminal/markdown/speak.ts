import { createSpokenMarkdown } from '../../../src/terminal/markdown/spoken-markdown.ts';

/** The output of each piece, and of the end. */
export async function speak(
  pieces: readonly string[],
  width = Number.POSITIVE_INFINITY,
  column = 0,
): Promise<readonly string[]> {
  const stream = createSpokenMarkdown(() => width, column);
  const outputs: string[] = [];
  for (const piece of pieces) outputs.push(await stream.write(piece));
  return [...outputs, await stream.end()];
}

export const spoken = async (source: string) => (await speak([source])).join('');
