/** The names of all commands but chat, without the rest of their rows, which a plain prompt does not need. */
const names = [
  'compare',
  'batch',
  'run',
  'prompts',
  'conversations',
  'last',
  'models',
  'usage',
  'auth',
  'config',
  'doctor',
  'sandbox',
  'shell-init',
  'completion',
  'help',
] as const;

const aliases = ['sessions'] as const;

export type CommandName = (typeof names)[number];

export type CommandAlias = (typeof aliases)[number];

/** Names and aliases. */
export const commandNames: readonly string[] = [...names, ...aliases];

/** Commands that the help of `-h`, which must fit on one screen, names without their summaries. */
export const seldomNames: readonly CommandName[] = [
  'prompts',
  'usage',
  'doctor',
  'sandbox',
  'shell-init',
  'completion',
];
