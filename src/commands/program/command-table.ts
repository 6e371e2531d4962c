import type { Command } from 'commander';
import type { CommandAlias, CommandName } from './command-names.ts';
import type { Context } from './context.ts';

/** A command other than chat; the help of the program shows it without loading it. */
export interface CommandRow {
  readonly name: CommandName;
  readonly alias?: CommandAlias;
  /** In the notation of commander. */
  readonly argument?: string;
  /** Of a group, its subject, not its subcommands. */
  readonly summary: string;
  /** Named without its summary in the help of `-h`, which must fit on one screen. */
  readonly isSeldom?: true;
  load(): Promise<(context: Context) => Command>;
}

/** All commands but chat, in the order of the help. */
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
    name: 'run',
    argument: '<prompt-file>',
    summary: 'send the prompt of a file, with variables',
    load: async () => (await import('../run/command.ts')).buildRun,
  },
  {
    name: 'prompts',
    summary: 'manage the prompt files of natter run',
    isSeldom: true,
    load: async () => (await import('../prompts/command.ts')).buildPrompts,
  },
  {
    name: 'conversations',
    alias: 'sessions',
    summary: 'manage saved conversations',
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
    summary: 'show the available models',
    load: async () => (await import('../models/command.ts')).buildModels,
  },
  {
    name: 'usage',
    summary: 'show requests, tokens and cost',
    isSeldom: true,
    load: async () => (await import('../usage/command.ts')).buildUsage,
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
    name: 'doctor',
    summary: 'check settings, network and service, and advise',
    isSeldom: true,
    load: async () => (await import('../doctor/command.ts')).buildDoctor,
  },
  {
    name: 'sandbox',
    summary: 'run a local mock of the service, with faults on request',
    isSeldom: true,
    load: async () => (await import('../sandbox/command.ts')).buildSandbox,
  },
  {
    name: 'shell-init',
    argument: '<shell>',
    summary: 'print keys for a shell: text becomes a command',
    isSeldom: true,
    load: async () => (await import('../shell-init/command.ts')).buildShellInit,
  },
  {
    name: 'completion',
    argument: '<shell>',
    summary: 'print a shell completion script',
    isSeldom: true,
    load: async () => (await import('../completion/command.ts')).buildCompletion,
  },
  {
    name: 'help',
    argument: '[words...]',
    summary: 'show help on a command or topic',
    load: async () => (await import('../help/command.ts')).buildHelp,
  },
];

function namesOf({ name, alias }: CommandRow): readonly string[] {
  return alias === undefined ? [name] : [name, alias];
}

/** Whether the command line contains the name of the command, possibly as a prompt or value. */
export function isNamed(row: CommandRow, words: readonly string[]): boolean {
  return namesOf(row).some((name) => words.includes(name));
}
