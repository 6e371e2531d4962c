import { contentOf, type Fragment } from './keys/paste.ts';

/** A prompt as it would be typed: what starts with a slash is no command. */
export function typedPrompt(prompt: string): string {
  return prompt.startsWith('/') ? `/${prompt}` : prompt;
}

/** All that a draft says, as if none of it was pasted: a slash in a paste begins no command. */
export function typedContent(draft: Fragment): string {
  const content = contentOf(draft);
  return draft.text.startsWith('/') ? content : typedPrompt(content);
}
