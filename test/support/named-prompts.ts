import type { ReplPrompts } from '../../src/repl/prompt-files/prompt-files.ts';

/** The prompt file `review`. */
export const namedPrompts: ReplPrompts = {
  list: async () => [{ name: 'review', summary: 'review a change' }],
  open: async (name) =>
    name === 'review'
      ? {
          name,
          variables: [
            { name: 'lang', description: 'language', choices: ['ts', 'js'], default: 'ts' },
            { name: 'focus' },
          ],
        }
      : undefined,
  fill: async ({ values, text }) => ({
    content: `review ${values['lang'] ?? 'ts'} for ${values['focus']}: ${text}`,
    settings: { system: 'be careful' },
    notices: [],
  }),
};
