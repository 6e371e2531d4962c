import type { Command } from 'commander';
import { buildAuth } from '../commands/auth/command.ts';
import { buildBatch } from '../commands/batch/command.ts';
import { buildCompare } from '../commands/compare/command.ts';
import { buildCompletion } from '../commands/completion/command.ts';
import { buildConfig } from '../commands/config/command.ts';
import { buildConversations } from '../commands/conversations/command.ts';
import { buildDoctor } from '../commands/doctor/command.ts';
import { buildHelp } from '../commands/help/command.ts';
import { buildLast } from '../commands/last/command.ts';
import { buildModels } from '../commands/models/command.ts';
import { buildPrompts } from '../commands/prompts/command.ts';
import { buildRun } from '../commands/run/command.ts';
import { buildSandbox } from '../commands/sandbox/command.ts';
import { buildShellInit } from '../commands/shell-init/command.ts';
import { buildUsage } from '../commands/usage/command.ts';
import type { CommandAlias, CommandName } from './command-names.ts';
import type { Context } from '../run.ts';

/** A command other than chat. */
export interface CommandRow {
  readonly name: CommandName;
  readonly alias?: CommandAlias;
  /** In the notation of commander. */
  readonly argument?: string;
  /** Of a group, its subject, not its subcommands. */
  readonly summary: string;
  readonly build: (context: Context) => Command;
}

/** All commands but chat, in the order of the help. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'compare',
    argument: '[prompt...]',
    summary: 'send one prompt to several models and compare the answers',
    build: buildCompare,
  },
  {
    name: 'batch',
    argument: '[file]',
    summary: 'send many prompts: lines, JSON lines or a table',
    build: buildBatch,
  },
  {
    name: 'run',
    argument: '<prompt-file>',
    summary: 'send the prompt of a file, with variables',
    build: buildRun,
  },
  {
    name: 'prompts',
    summary: 'manage the prompt files of natter run',
    build: buildPrompts,
  },
  {
    name: 'conversations',
    alias: 'sessions',
    summary: 'manage saved conversations',
    build: buildConversations,
  },
  {
    name: 'last',
    argument: '[conversation]',
    summary: 'print the last answer or one of its code blocks',
    build: buildLast,
  },
  {
    name: 'models',
    summary: 'show the available models',
    build: buildModels,
  },
  {
    name: 'usage',
    summary: 'show requests, tokens and cost',
    build: buildUsage,
  },
  {
    name: 'auth',
    summary: 'connect to a service: address and key',
    build: buildAuth,
  },
  {
    name: 'config',
    summary: 'show and change settings and profiles',
    build: buildConfig,
  },
  {
    name: 'doctor',
    summary: 'check settings, network and service, and advise',
    build: buildDoctor,
  },
  {
    name: 'sandbox',
    summary: 'run a local mock of the service, with faults on request',
    build: buildSandbox,
  },
  {
    name: 'shell-init',
    argument: '<shell>',
    summary: 'print keys for a shell: text becomes a command',
    build: buildShellInit,
  },
  {
    name: 'completion',
    argument: '<shell>',
    summary: 'print a shell completion script',
    build: buildCompletion,
  },
  {
    name: 'help',
    argument: '[words...]',
    summary: 'show help on a command or topic',
    build: buildHelp,
  },
];

function namesOf({ name, alias }: CommandRow): readonly string[] {
  return alias === undefined ? [name] : [name, alias];
}

/** Whether the command line contains the name of the command, possibly as a prompt or value. */
export function isNamed(row: CommandRow, words: readonly string[]): boolean {
  return namesOf(row).some((name) => words.includes(name));
}
