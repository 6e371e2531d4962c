import { printNotice, refuse, startTask, type Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';
import { systemText } from '../text/status-text.ts';
import { offWords, type SlashCommand } from './slash-command.ts';

function setSystem(state: ReplState, argument: string): Step {
  if (argument === '') return printNotice(state, systemText(state.settings.system));
  const system = offWords.has(argument) ? undefined : argument;
  return printNotice(
    { ...state, settings: { ...state.settings, system, role: undefined } },
    systemText(system),
  );
}

function chooseRole(state: ReplState, name: string): Step {
  const { role, system } = state.settings;
  if (offWords.has(name)) {
    if (role !== undefined) return setSystem(state, 'off');
    const hint = system === undefined ? '' : '; /system off removes the system prompt';
    return printNotice(state, `no role is set${hint}`);
  }
  return startTask(state, 'reading a role', { type: 'choose-role', name });
}

const changeParameters = (state: ReplState, text: string) =>
  startTask(state, 'changing parameters', { type: 'change-parameters', text });

function setTemperature(state: ReplState, argument: string): Step {
  if (argument === '') return changeParameters(state, 'temperature');
  if (offWords.has(argument)) return changeParameters(state, 'temperature off');
  return /^\d+(?:\.\d+)?$/.test(argument)
    ? changeParameters(state, `temperature=${Number(argument)}`)
    : refuse(
        state,
        '/temperature needs a number from 0 on',
        '/temperature 0.2, or /temperature off',
      );
}

/** What requests have besides the conversation. */
export const requestCommands: readonly SlashCommand[] = [
  {
    name: 'system',
    argument: '[text]',
    summary: 'show or set the system prompt; off removes it',
    group: 'settings',
    example: '/system Answer in one sentence.',
    takesLines: true,
    run: setSystem,
  },
  {
    name: 'role',
    argument: '[name]',
    summary: 'show or set the role, a system prompt; off removes it',
    group: 'settings',
    example: '/role critic',
    completes: 'roles',
    run: chooseRole,
  },
  {
    name: 'temperature',
    argument: '[n]',
    summary: 'show or set the temperature of answers; off removes it',
    group: 'settings',
    example: '/temperature 0.2',
    run: setTemperature,
  },
  {
    name: 'param',
    argument: '[name=value]',
    summary: 'list or set parameters of requests; NAME off removes',
    group: 'settings',
    example: '/param top_p=0.9',
    run: changeParameters,
  },
];
