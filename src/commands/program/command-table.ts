import type { Command } from 'commander';
import type { Context } from './context.ts';

/** A command other than chat. */
export interface CommandRow {
  readonly name: string;
  readonly alias?: string;
  /** As commander takes it: the command's own, for the help of the program. */
  readonly argument?: string;
  readonly summary: string;
  load(): Promise<(context: Context) => Command>;
}

/** In the order of the help. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'compare',
    argument: '[prompt...]',
    summary: 'send one prompt to several models and compare the answers',
    load: async () => (await import('../compare/command.ts')).buildCompare,
  },
  {
    name: 'batch',
    argument: '[file]',
    summary: 'send many prompts: lines, JSON lines or a table',
    load: async () => (await import('../batch/command.ts')).buildBatch,
  },
  {
    name: 'conversations',
    alias: 'sessions',
    summary: 'list, show, search, export or delete conversations',
    load: async () => (await import('../conversations/command.ts')).buildConversations,
  },
  {
    name: 'last',
    argument: '[conversation]',
    summary: 'print the last answer or one of its code blocks',
    load: async () => (await import('../last/command.ts')).buildLast,
  },
  {
    name: 'models',
    summary: 'list and search models, or show one',
    load: async () => (await import('../models/command.ts')).buildModels,
  },
  {
    name: 'auth',
    summary: 'connect to a service: address and key',
    load: async () => (await import('../auth/command.ts')).buildAuth,
  },
  {
    name: 'config',
    summary: 'show and change settings and profiles',
    load: async () => (await import('../config/command.ts')).buildConfig,
  },
  {
    name: 'sandbox',
    summary: 'run a local mock of the service, with faults on request',
    load: async () => (await import('../sandbox/command.ts')).buildSandbox,
  },
  {
    name: 'completion',
    argument: '<shell>',
    summary: 'print a shell completion script',
    load: async () => (await import('../completion/command.ts')).buildCompletion,
  },
  {
    name: 'help',
    argument: '[words...]',
    summary: 'show help on a command or topic',
    load: async () => (await import('../help/command.ts')).buildHelp,
  },
];

function wordsOf({ name, alias }: CommandRow): readonly string[] {
  return alias === undefined ? [name] : [name, alias];
}

/** Names and aliases of all commands. */
export const commandWords: readonly string[] = commandTable.flatMap(wordsOf);

/** Whether the command line contains the name of the command, possibly as a prompt or value. */
export function isNamed(row: CommandRow, words: readonly string[]): boolean {
  return wordsOf(row).some((name) => words.includes(name));
}
