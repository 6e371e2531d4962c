import type { ParameterChanges } from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import { runTask, type SessionCore } from '../session/session-core.ts';
import { notice } from '../state/entry.ts';
import { checkParameterName } from '../../settings/setting-name.ts';
import { parseParameterValue } from '../../settings/setting-value.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { roleNames, readRole } from '../../settings/role.ts';

const none: ParameterChanges = { set: {}, removed: [] };

interface Change {
  readonly parameters: ParameterChanges;
  readonly text: string;
}

function without({ set, removed }: ParameterChanges, name: string): ParameterChanges {
  const kept = Object.entries(set).filter(([other]) => other !== name);
  return { set: Object.fromEntries(kept), removed: [...new Set([...removed, name])] };
}

const sentParameters = (core: SessionCore) => core.service.parameters(core.state().settings);

/** What a text of `/param` changes; undefined if it only asks. @throws Failure */
function changeOf(core: SessionCore, before: ParameterChanges, text: string): Change | undefined {
  if (text === 'off') return { parameters: none, text: 'the parameters are those of the settings' };
  const [name = '', word, ...rest] = text.split(/\s+/);
  if (word === 'off' && rest.length === 0) {
    if (!Object.hasOwn(sentParameters(core), name)) {
      if (name === 'temperature') return undefined;
      throw new Failure('usage', `no parameter ${name} is sent`, { hint: '/param lists them' });
    }
    return { parameters: without(before, name), text: `${name} is no longer sent` };
  }
  if (!text.includes('=')) {
    if (word === undefined) return undefined;
    const hint = `/param ${name}=${text.slice(name.length).trim()}`;
    throw new Failure('usage', '/param needs = between a name and its value', { hint });
  }
  const [field, value] = parseSessionParameter(text);
  const { set, removed } = without(before, field);
  return {
    parameters: {
      set: { ...set, [field]: value },
      removed: removed.filter((one) => one !== field),
    },
    text: `${field} is now ${JSON.stringify(value)}`,
  };
}

/** All fields, or the one with this name. */
function listText(core: SessionCore, name: string): string {
  const fields = Object.entries(sentParameters(core));
  const shown = fields.filter(([field]) => name === '' || field === name);
  if (name === 'temperature' && shown.length === 0) {
    return 'no temperature is sent; /temperature 0.2 sets it';
  }
  if (name !== '' && shown.length === 0) {
    return `no parameter ${name} is sent; /param ${name}=VALUE sets it`;
  }
  if (shown.length === 0) return 'no parameters are sent; /param temperature=0.2 adds one';
  const list = shown.map(([field, value]) => `${field}=${JSON.stringify(value)}`).join(', ');
  return name === '' ? `parameters: ${list}; /param NAME off removes one` : list;
}

/** Changes the fields of the next requests, and keeps the change in the conversation. */
export function runChangeParameters(core: SessionCore, text: string): Promise<void> {
  return runTask(core, async () => {
    const before = core.state().settings.parameters ?? none;
    const change = changeOf(core, before, text);
    if (change === undefined)
      return [notice(cleanLine(core.context, listText(core, text.split(' ', 1)[0] ?? '')))];
    core.journal().setParameters(change.parameters);
    core.dispatch({ type: 'parameters-changed', parameters: change.parameters });
    return [notice(cleanLine(core.context, change.text))];
  });
}

const commands: ReadonlyMap<string, string> = new Map([
  ['model', '/model NAME sets it'],
  ['max_tokens', '/max-tokens NUMBER sets it'],
  ['stream', 'restart natter with --no-stream'],
]);

/** @throws Failure `usage`, with the command that sets a field of natter's own */
function checkName(name: string): string {
  const hint = commands.get(name);
  if (hint === undefined) return checkParameterName(name, 'usage');
  throw new Failure('usage', `the parameter ${name} is set by natter itself`, { hint });
}

/** Reads `name=value`, also with blanks around the sign. @throws Failure `usage` */
export function parseSessionParameter(text: string): readonly [name: string, value: unknown] {
  const [, name, value] = /^([^=\s]+)\s*=\s*(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new Failure('usage', '/param needs a name and a value', { hint: '/param top_p=0.9' });
  }
  const label = `the value of ${checkName(name)}`;
  const hint = `/param ${name}="two words"`;
  return [name, parseParameterValue(value, { label, kind: 'usage', hint })];
}

function rolesText(core: SessionCore): string {
  const { role } = core.state().settings;
  const names = roleNames(core.context);
  const current = role === undefined ? 'no role is set' : `the role is ${role}`;
  const others = names.length === 0 ? 'there are no roles yet' : `roles: ${names.join(', ')}`;
  return `${current}; ${others}`;
}

/** Sets the system prompt of the next prompts to the text of a role. */
export function runChooseRole(core: SessionCore, name: string): Promise<void> {
  return runTask(core, async () => {
    const { context } = core;
    if (name === '') return [notice(cleanLine(context, rolesText(core)))];
    core.dispatch({ type: 'role-chosen', role: name, system: readRole(context, name) });
    return [notice(cleanLine(context, `the role is now ${name}; /system shows its text`))];
  });
}
