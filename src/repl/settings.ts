import { catalogue } from '../client/contract.ts';
import { cleanLine } from '../secrets/secrets.ts';
import { roleNames, readRole } from '../settings/role.ts';
import type { ParameterChanges } from '../conversation/tree.ts';
import { Failure } from '../failure.ts';
import { nearlyNamed } from '../near-name.ts';
import { tokenText } from '../output/figures.ts';
import { checkParameterName } from '../settings/setting-name.ts';
import { parseParameterValue } from '../settings/setting-value.ts';
import { themeNames } from '../terminal/style.ts';
import { notice } from './transcript/entry.ts';
import type { Candidate } from './composer/completion.ts';
import { type Repl, runActivity, type Session } from './session.ts';
import { offWords, type SlashCommand } from './slash-command.ts';
import type { Step, ReplState, SessionSettings } from './state.ts';
import { printNotice, refuse, startActivity, step, printing, task } from './step.ts';
import type { WrapMode } from '../terminal/markdown/markdown-stream.ts';

function withSettings(state: ReplState, changes: Partial<SessionSettings>): ReplState {
  return { ...state, settings: { ...state.settings, ...changes } };
}

export function recordModel(session: Session, { model }: { readonly model: string }): void {
  session.journal().setModel(model);
}

function setModel(state: ReplState, model: string): Step {
  const { settings, knownModels } = state;
  const known = new Set([...knownModels, ...catalogue.map(({ id }) => id), 'auto']);
  if (model === '') {
    const list = [...known].join(', ');
    return printNotice(state, `the model is ${settings.model}; known models: ${list}`);
  }
  if (/\s/.test(model))
    return refuse(state, 'a model id cannot contain spaces', '/models lists them');
  const next = { ...withSettings(state, { model }), hasOfferedModel: false };
  const near = nearlyNamed(model, known);
  const help =
    near === undefined ? '/models lists the available models' : `did you mean /model ${near}?`;
  const warning = known.has(model) ? '' : `; natter does not know it, ${help}`;
  const shown = printing(notice(`the model is now ${model}${warning}`));
  // Without turns there is nothing to resume.
  const isEmpty = state.conversation.turns.size === 0;
  return isEmpty ? step(next, shown) : step(next, task(recordModel, { model }), shown);
}

const limitText = (tokens: number | undefined) =>
  tokens === undefined
    ? 'natter sets no token limit for answers'
    : `answers are limited to ${tokenText(tokens)}`;

function setMaxTokens(state: ReplState, argument: string): Step {
  if (argument === '') return printNotice(state, limitText(state.settings.maxTokens));
  const maxTokens = offWords.has(argument) ? undefined : Number(argument);
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens >= 1)) {
    return refuse(
      state,
      '/max-tokens needs a whole number of at least 1',
      '/max-tokens 500, or /max-tokens off',
    );
  }
  return printNotice(withSettings(state, { maxTokens }), limitText(maxTokens));
}

export function listModels(session: Session): Promise<void> {
  return runActivity(session, async (signal) => {
    const { service } = session;
    const records = await service.client().listModels({ signal });
    const ids = records.map(({ id }) => id);
    const windows = service.windows();
    session.update((state) =>
      step({ ...state, knownModels: ids, service: { ...state.service, windows } }),
    );
    return [notice(service.describeModels(records))];
  });
}

const none: ParameterChanges = { set: {}, removed: [] };

/** The fields that are sent besides the usual ones. */
type Sent = Readonly<Record<string, unknown>>;

/** What a text of `/param` changes, and how that is reported; undefined if it only asks. @throws Failure */
function changeOf(
  text: string,
  { set, removed }: ParameterChanges,
  sent: Sent,
): readonly [ParameterChanges, string] | undefined {
  if (text === 'off') return [none, 'the parameters are those of the settings'];
  const [name = '', word, ...rest] = text.split(/\s+/);
  if (word === 'off' && rest.length === 0) {
    if (!Object.hasOwn(sent, name)) {
      if (name === 'temperature') return undefined;
      throw new Failure('usage', `no parameter ${name} is sent`, { hint: '/param lists them' });
    }
    const others = Object.entries(set).filter(([other]) => other !== name);
    const all = [...new Set([...removed, name])];
    return [{ set: Object.fromEntries(others), removed: all }, `${name} is no longer sent`];
  }
  if (!text.includes('=')) {
    if (word === undefined) return undefined;
    const hint = `/param ${name}=${text.slice(name.length).trim()}`;
    throw new Failure('usage', '/param needs = between a name and its value', { hint });
  }
  const [field, value] = parseSessionParameter(text);
  const kept = removed.filter((one) => one !== field);
  const changes = { set: { ...set, [field]: value }, removed: kept };
  return [changes, `${field} is now ${JSON.stringify(value)}`];
}

/** All fields, or the one with this name. */
function listText(sent: Sent, name: string): string {
  const fields = Object.entries(sent).filter(([field]) => name === '' || field === name);
  const list = fields.map(([field, value]) => `${field}=${JSON.stringify(value)}`).join(', ');
  if (name === 'temperature' && list === '') {
    return 'no temperature is sent; /temperature 0.2 sets it';
  }
  if (name !== '') return list || `no parameter ${name} is sent; /param ${name}=VALUE sets it`;
  return list === ''
    ? 'no parameters are sent; /param temperature=0.2 adds one'
    : `parameters: ${list}; /param NAME off removes one`;
}

/** Changes the fields of the next requests, and keeps the change in the conversation. */
export function changeParameters(
  session: Session,
  { text }: { readonly text: string },
): Promise<void> {
  return runActivity(session, async () => {
    const { settings } = session.state();
    const sent = session.service.parameters(settings);
    const [parameters, report] = changeOf(text, settings.parameters ?? none, sent) ?? [];
    if (parameters !== undefined) {
      session.journal().setParameters(parameters);
      session.update((state) => step(withSettings(state, { parameters })));
    }
    const [name = ''] = text.split(' ', 1);
    return [notice(cleanLine(session.context, report ?? listText(sent, name)))];
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

function rolesText(session: Session): string {
  const { role } = session.state().settings;
  const names = roleNames(session.context);
  const current = role === undefined ? 'no role is set' : `the role is ${role}`;
  const others = names.length === 0 ? 'there are no roles yet' : `roles: ${names.join(', ')}`;
  return `${current}; ${others}`;
}

/** Sets the system prompt of the next prompts to the text of a role. */
export function chooseRole(session: Session, { name }: { readonly name: string }): Promise<void> {
  return runActivity(session, async () => {
    const { context } = session;
    if (name === '') return [notice(cleanLine(context, rolesText(session)))];
    const system = readRole(context, name);
    session.update((state) => step(withSettings(state, { role: name, system })));
    return [notice(cleanLine(context, `the role is now ${name}; /system shows its text`))];
  });
}

function systemText(system: string | undefined): string {
  return system === undefined ? 'no system prompt is set' : `the system prompt is: ${system}`;
}

function setSystem(state: ReplState, argument: string): Step {
  if (argument === '') return printNotice(state, systemText(state.settings.system));
  const system = offWords.has(argument) ? undefined : argument;
  return printNotice(withSettings(state, { system, role: undefined }), systemText(system));
}

function setRole(state: ReplState, name: string): Step {
  const { role, system } = state.settings;
  if (offWords.has(name)) {
    if (role !== undefined) return setSystem(state, 'off');
    const hint = system === undefined ? '' : '; /system off removes the system prompt';
    return printNotice(state, `no role is set${hint}`);
  }
  return startActivity(state, 'reading a role', task(chooseRole, { name }));
}

const setParameters = (state: ReplState, text: string) =>
  startActivity(state, 'changing parameters', task(changeParameters, { text }));

function setTemperature(state: ReplState, argument: string): Step {
  if (argument === '') return setParameters(state, 'temperature');
  if (offWords.has(argument)) return setParameters(state, 'temperature off');
  return /^\d+(?:\.\d+)?$/.test(argument)
    ? setParameters(state, `temperature=${Number(argument)}`)
    : refuse(
        state,
        '/temperature needs a number from 0 on',
        '/temperature 0.2, or /temperature off',
      );
}

function setTheme(state: ReplState, argument: string): Step {
  const { settings } = state;
  const available = `available: ${themeNames.join(', ')}`;
  if (argument === '') return printNotice(state, `the theme is ${settings.theme}; ${available}`);
  const theme = themeNames.find((name) => name === argument);
  if (theme === undefined) return refuse(state, `unknown theme ${argument}`, available);
  // The transcript reads the theme from the state.
  return printNotice(withSettings(state, { theme }), `the theme is ${theme}`);
}

const wrapModes: readonly WrapMode[] = ['words', 'none'];

const wrapText = {
  words: 'rows of answers end between words; /wrap none lets the terminal wrap them',
  none: 'the terminal wraps answers; /wrap words ends rows between words',
} as const;

function setWrap(state: ReplState, argument: string): Step {
  const { settings } = state;
  if (argument === '') return printNotice(state, wrapText[settings.wrap]);
  const wrap = wrapModes.find((mode) => mode === argument);
  if (wrap === undefined)
    return refuse(state, `unknown wrap mode ${argument}`, `available: ${wrapModes.join(', ')}`);
  return printNotice(withSettings(state, { wrap }), wrapText[wrap]);
}

export function modelCandidates(_repl: Repl, { knownModels }: ReplState): readonly Candidate[] {
  const published = catalogue.map(({ id, purpose }) => ({ value: id, summary: purpose }));
  const known = new Set(published.map(({ value }) => value));
  const listed = knownModels.filter((id) => !known.has(id));
  return [
    ...published,
    ...listed.map((value) => ({ value })),
    { value: 'auto', summary: 'the smallest model that the prompt fits' },
  ];
}

const named = (names: readonly string[]) => names.map((value) => ({ value }));

/** The model, what is sent besides the conversation, and how the transcript looks. */
export const settingsCommands: readonly SlashCommand[] = [
  {
    name: 'model',
    argument: '[id]',
    summary: 'show or set the model',
    group: 'settings',
    example: '/model nextgen',
    completes: modelCandidates,
    isImmediate: true,
    run: setModel,
  },
  {
    name: 'models',
    summary: 'list the models of the service',
    group: 'settings',
    run: (state) => startActivity(state, 'listing models', task(listModels, undefined)),
  },
  {
    name: 'max-tokens',
    argument: '[n]',
    summary: 'limit the tokens of an answer; off removes the limit',
    group: 'settings',
    example: '/max-tokens 500',
    run: setMaxTokens,
  },
  {
    name: 'theme',
    argument: '[name]',
    summary: 'colours: color, light, dark, mono (weights only), plain',
    group: 'settings',
    example: '/theme mono',
    completes: () => named(themeNames),
    isImmediate: true,
    needsLiveRegion: true,
    run: setTheme,
  },
  {
    name: 'wrap',
    argument: '[mode]',
    summary: 'wrap answers at words, or none: let the terminal wrap',
    group: 'settings',
    example: '/wrap none',
    completes: () => named(wrapModes),
    isImmediate: true,
    run: setWrap,
  },
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
    completes: ({ context }) => named(roleNames(context)),
    run: setRole,
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
    run: setParameters,
  },
];
