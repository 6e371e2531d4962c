import { Failure } from '../../src/failure.ts';
import type { SessionPorts } from '../../src/repl/session/ports.ts';

/** The prompt file `review`, the role `critic`, and parameters in JSON. */
export const namedPrompts: Pick<SessionPorts, 'prompts' | 'roles' | 'parseParameter'> = {
  prompts: {
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
  },
  parseParameter(text) {
    const [name = '', value = ''] = text.split('=');
    return [name, JSON.parse(value) as unknown];
  },
  roles: {
    names: () => ['critic'],
    read(name) {
      if (name === 'critic') return 'be strict';
      throw new Failure('not_found', `there is no role "${name}"`);
    },
  },
};
