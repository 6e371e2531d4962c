import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readRecording } from '../../src/recording/read-recording.ts';
import { runNatter } from '../support/natter.ts';

const recording = 'docs/pictures/conversation.jsonl';

/** The prompt that was recorded. */
function recordedPrompt(): string {
  const { exchanges, unreadable } = readRecording(recording);
  expect(unreadable).toEqual([]);
  const body = exchanges[0]?.request.body as { messages: readonly { content: string }[] };
  return body.messages[0]?.content ?? '';
}

/** The concatenated texts of a picture. */
const shownIn = (name: string) =>
  readFileSync(`docs/pictures/${name}.svg`, 'utf8').replaceAll(/<[^>]*>/g, '');

test.each(['dark', 'light'])('the %s picture shows its recording', async (name) => {
  const prompt = recordedPrompt();
  const words = ['--replay', resolve(recording), '--speed', 'max', prompt];
  const { code, stdout } = await runNatter(words);
  expect(code).toBe(0);
  const shown = shownIn(name);
  expect(shown).toContain(prompt);
  const [firstWords = ''] = stdout.split('**');
  expect(shown).toContain(firstWords.trim());
  expect(shown).toContain('replay · origin');
});
