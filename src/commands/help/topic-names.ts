import type { ForeignWords } from '../../cli/guess.ts';

/** The topics of `natter help` that are not commands, in the order of the help. */
export const topicRows = [
  { name: 'budget', summary: 'limits for tokens and money' },
  { name: 'environment', summary: 'environment variables' },
  { name: 'exit-codes', summary: 'exit codes and their causes' },
  { name: 'inputs', summary: 'attachments, long texts, growing logs, other models' },
  { name: 'keys', summary: 'keyboard of a conversation' },
  { name: 'piping', summary: 'standard input and output, scripts' },
  { name: 'privacy', summary: 'what is sent and stored; secrets in what is sent' },
  { name: 'profiles', summary: 'settings and keys for several services' },
  { name: 'schema', summary: 'answers that are checked JSON' },
  { name: 'service', summary: 'options of every command that uses a service' },
  { name: 'settings', summary: 'settings, their values and defaults' },
  { name: 'troubleshooting', summary: 'what to do when something does not work' },
  { name: 'uninstall', summary: 'how to remove natter and all its files' },
] as const;

export type TopicName = (typeof topicRows)[number]['name'];

export const topicNames: readonly TopicName[] = topicRows.map(({ name }) => name);

/** What else people type for a topic. */
export const topicAliases: ForeignWords = [
  ['aliases', 'profiles'],
  ['attachments every fallback files image images split', 'inputs'],
  ['cost ledger prices', 'budget'],
  ['keyboard shortcuts', 'keys'],
  ['redact secret secrets', 'privacy'],
  ['role roles', 'settings'],
  ['select', 'schema'],
];
