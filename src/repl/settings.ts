import { catalogue } from '../client/contract.ts';
import { describeModel } from '../client/models/model-description.ts';
import {
  catalogueMark,
  catalogueNote,
  hasCatalogueMark,
  modelCells,
  modelColumns,
} from '../commands/models/model-text.ts';
import { cleanLine } from '../secrets/secrets.ts';
import { roleNames, readRole } from '../settings/role.ts';
import type { ParameterChanges } from '../conversation/attributes.ts';
import { Failure } from '../failure.ts';
import { nearlyNamed } from '../near-name.ts';
import { tokenText } from '../output/figures.ts';
import { formatTable, spokenRows } from '../output/table.ts';
import { checkParameterName } from '../settings/setting-name.ts';
import { parseParameterValue } from '../settings/setting-value.ts';
import { plainStyle, themeNames } from '../terminal/style.ts';
import { notice, type Entry } from './transcript/transcript.ts';
import type { Candidate } from './composer/completion.ts';
import type { Repl, Session } from './session.ts';
import { offWords, type SlashCommand } from './slash-command.ts';
import type { Dialog, Update, ReplState, SessionSettings } from './state.ts';
import {
  openDialog,
  printNotice,
  printing,
  refuse,
  showNow,
  startActivity,
  step,
  task,
} from './step.ts';

function withSettings(state: ReplState, changes: Partial<SessionSettings>): ReplState {
  return { ...state, settings: { ...state.settings, ...changes } };
}

export function recordModel(session: Session, model: string): void {
  session.journal().set({ model });
}

const modelsOf = ({ knownModels }: ReplState): ReadonlySet<string> =>
  new Set([...knownModels, ...catalogue.map(({ id }) => id), 'auto']);

/** Refuses an argument of several words in place of a model. */
export const refuseModelId = (state: ReplState): Update =>
  refuse(state, 'a model id cannot contain spaces', '/model lists them');

/** Opens a list of the models, or sets one. */
function setModel(state: ReplState, model: string): Update {
  if (model === '') return startActivity(state, 'listing models', listModels, undefined);
  if (/\s/.test(model)) return refuseModelId(state);
  return modelsOf(state).has(model)
    ? useModel(state, model)
    : startActivity(state, 'looking for the model', findModel, model);
}

/** Sets the model of the next prompts. */
function useModel(state: ReplState, model: string): Update {
  const next = { ...withSettings(state, { model }), hasOfferedModel: false };
  const isKnown = modelsOf(state).has(model);
  const warning = isKnown ? '' : '; natter does not know it, /model lists the available models';
  const shown = printing(notice(`the model is now ${model}${warning}`));
  // Without turns there is nothing to resume.
  const isEmpty = state.conversation.turns.size === 0;
  return isEmpty ? step(next, shown) : step(next, task(recordModel, model), shown);
}

/** Asks the service for its models, and keeps them for completion. `problem` says why there are none. */
async function readModels(session: Session, signal: AbortSignal) {
  const { service, context } = session;
  try {
    const records = await service.client().listModels({ signal });
    const knownModels = records.map(({ id }) => id);
    const windows = service.windows();
    session.update((state) =>
      step({ ...state, knownModels, service: { ...state.service, windows } }),
    );
    return { records, problem: records.length === 0 ? 'the service lists no models' : undefined };
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    const problem = cleanLine(context, `the service did not list its models: ${error.message}`);
    return { records: [], problem };
  }
}

/** Columns of a choice beside its label: the mark, the number, and the last column. */
const choiceMargin = 7;

/** Opens a list of the service's models, or of those that natter knows; in line mode, prints it. */
export async function listModels(
  session: Session,
  _input: undefined,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const { records, problem } = await readModels(session, signal);
  const state = session.state();
  const { model } = state.settings;
  const known = [...modelsOf(state)];
  const rows = records.map((record) => modelCells(describeModel(record), true));
  if (state.isLineMode) {
    const unmarked = rows.map((row) => row.map((cell) => cell.replace(catalogueMark, '')));
    const list = spokenRows(modelColumns, unmarked).trimEnd();
    const shown = problem === undefined ? list : `${problem}; known models: ${known.join(', ')}`;
    const other = '/model auto takes the smallest one that the prompt fits';
    return [notice(`the model is ${model}; ${other}`), notice(shown)];
  }
  if (problem !== undefined) {
    openDialog(session, settingDialog('model', known, model));
    return [notice(problem)];
  }
  const width = Math.max(1, state.columns - choiceMargin);
  const table = formatTable(modelColumns, rows, { isTerminal: true, width, style: plainStyle });
  const labels = [
    ...table.trimEnd().split('\n').slice(1),
    'auto: the smallest model that the prompt fits',
  ];
  const ids = [...records.map(({ id }) => id), 'auto'];
  const dialog = settingDialog('model', ids, model, labels);
  const note = rows.some(hasCatalogueMark) ? `; ${catalogueNote}` : '';
  openDialog(session, { ...dialog, title: `${dialog.title}${note}` });
  return [];
}

/** Sets a model whose name is new to natter; asks first if the service lists models, but not this one. */
async function findModel(
  session: Session,
  model: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const { problem } = await readModels(session, signal);
  const state = session.state();
  const known = modelsOf(state);
  if (problem !== undefined || known.has(model)) {
    session.update((current) => useModel(current, model));
  } else {
    openDialog(session, modelDialog(model, nearlyNamed(model, known), state.settings.model));
  }
  return [];
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
  if (text === 'off') return [none, 'the parameters are again those in your settings'];
  const [name = '', word, ...rest] = text.split(/\s+/);
  if (word !== undefined && offWords.has(word) && rest.length === 0) {
    if (!Object.hasOwn(sent, name)) return undefined;
    const { [name]: _removed, ...others } = set;
    const all = [...new Set([...removed, name])];
    return [{ set: others, removed: all }, `${name} is no longer sent`];
  }
  if (!text.includes('=') && word === undefined) return undefined;
  const [field, value] = parseSessionParameter(text);
  if (field === 'temperature' && typeof value !== 'number') {
    const hint = '/param temperature=0.2, or /param temperature off';
    throw new Failure('usage', 'temperature needs a number from 0 on', { hint });
  }
  const kept = removed.filter((one) => one !== field);
  const changes = { set: { ...set, [field]: value }, removed: kept };
  return [changes, `${field} is now ${JSON.stringify(value)}`];
}

/** All fields, or the one with this name. */
function listText(sent: Sent, name: string): string {
  const fields = Object.entries(sent).filter(([field]) => name === '' || field === name);
  const list = fields.map(([field, value]) => `${field}=${JSON.stringify(value)}`).join(', ');
  if (name === '' && list !== '') return `parameters: ${list}; /param NAME off removes one`;
  if (name === '') return 'no parameters are sent; /param temperature=0.2 adds one';
  if (list !== '') return list;
  return `no parameter ${name} is sent; /param ${name}=VALUE sets it`;
}

/** Changes the fields of the next requests, and keeps the change in the conversation. */
export async function changeParameters(session: Session, text: string): Promise<readonly Entry[]> {
  const { settings } = session.state();
  const { maxTokens } = settings;
  const sent = session.service.parameters(settings);
  const [parameters, report] = changeOf(text, settings.parameters ?? none, sent) ?? [];
  if (parameters !== undefined) {
    session.journal().set({ parameters });
    session.update((state) => step(withSettings(state, { parameters })));
  }
  const [name = ''] = text.split(' ', 1);
  const limit = maxTokens === undefined ? {} : { max_tokens: maxTokens };
  const shown = report ?? listText({ ...limit, ...sent }, name);
  return [notice(cleanLine(session.context, shown))];
}

/** What sets the fields of natter's own. */
const commands: ReadonlyMap<string, string> = new Map([
  ['model', '/model NAME sets it'],
  ['stream', 'restart natter with --no-stream'],
]);

/** Reads `name=value`, also with blanks around the sign or instead of it. @throws Failure `usage` */
export function parseSessionParameter(text: string): readonly [name: string, value: unknown] {
  const [, name, value] = /^([^=\s]+)(?:\s*=\s*|\s+)(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new Failure('usage', '/param needs a name and a value', { hint: '/param top_p=0.9' });
  }
  const own = commands.get(name);
  if (own !== undefined) {
    throw new Failure('usage', `the parameter ${name} is set by natter itself`, { hint: own });
  }
  const label = `the value of ${checkParameterName(name, 'usage')}`;
  const hint = `/param ${name}="two words"`;
  return [name, parseParameterValue(value, { label, kind: 'usage', hint })];
}

/** Changes the token limit, which is a setting, or any other parameter. */
function setParameters(state: ReplState, text: string): Update {
  const [, limit] = /^max_tokens(?:\s*=\s*|\s+)(.+)$/.exec(text) ?? [];
  if (limit === undefined) {
    return startActivity(state, 'changing parameters', changeParameters, text);
  }
  const maxTokens = offWords.has(limit.trim()) ? undefined : Number(limit);
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens >= 1)) {
    const hint = '/param max_tokens=500, or /param max_tokens off';
    return refuse(state, 'max_tokens needs a whole number of at least 1', hint);
  }
  const shown =
    maxTokens === undefined
      ? 'natter sets no token limit for answers'
      : `answers are limited to ${tokenText(maxTokens)}`;
  return printNotice(withSettings(state, { maxTokens }), shown);
}

/** Sets the system prompt of the next prompts to the text of a role; without a name, lists the roles. */
export async function chooseRole(session: Session, name: string): Promise<readonly Entry[]> {
  const { context } = session;
  const { settings, isLineMode } = session.state();
  if (name !== '') {
    const system = readRole(context, name);
    session.update((state) => step(withSettings(state, { role: name, system })));
    return [notice(cleanLine(context, `the role is now ${name}; /system shows its text`))];
  }
  const names = roleNames(context);
  if (!isLineMode && names.length > 0) {
    openDialog(session, settingDialog('role', names, settings.role));
    return [];
  }
  const current = settings.role === undefined ? 'no role is set' : `the role is ${settings.role}`;
  const others = names.length === 0 ? 'there are no roles yet' : `roles: ${names.join(', ')}`;
  return [notice(cleanLine(context, `${current}; ${others}`))];
}

function setSystem(state: ReplState, argument: string): Update {
  const next =
    argument === ''
      ? state
      : withSettings(state, {
          system: offWords.has(argument) ? undefined : argument,
          role: undefined,
        });
  const { system } = next.settings;
  const shown =
    system === undefined ? 'no system prompt is set' : `the system prompt is: ${system}`;
  return printNotice(next, shown);
}

function setRole(state: ReplState, name: string): Update {
  const { role, system } = state.settings;
  if (!offWords.has(name)) return startActivity(state, 'reading a role', chooseRole, name);
  if (role !== undefined) return setSystem(state, 'off');
  const hint = system === undefined ? '' : '; /system off removes the system prompt';
  return printNotice(state, `no role is set${hint}`);
}

/** Sets a setting to the value that was typed, or refuses it with the values that there are. */
function setWord<Value extends string>(
  state: ReplState,
  [what, typed]: readonly [what: string, typed: string],
  values: readonly Value[],
  set: (value: Value) => Update,
): Update {
  const value = values.find((one) => one === typed);
  return value === undefined
    ? refuse(state, `unknown ${what} ${typed}`, `available: ${values.join(', ')}`)
    : set(value);
}

function setTheme(state: ReplState, typed: string): Update {
  if (typed === '') {
    const dialog = settingDialog('theme', themeNames, state.settings.theme);
    return step({ ...state, dialog });
  }
  // The transcript reads the theme from the state.
  return setWord(state, ['theme', typed], themeNames, (theme) =>
    printNotice(withSettings(state, { theme }), `the theme is ${theme}`),
  );
}

const wrapModes = ['words', 'none'] as const;

const wrapText = {
  words: 'rows of answers end between words; /settings wrap none lets the terminal wrap them',
  none: 'the terminal wraps answers; /settings wrap words ends rows between words',
} as const;

const setWrap = (state: ReplState, typed: string): Update =>
  setWord(state, ['wrap mode', typed || state.settings.wrap], wrapModes, (wrap) =>
    printNotice(withSettings(state, { wrap }), wrapText[wrap]),
  );

/** Shows or sets how natter looks in this conversation. */
function setLook(state: ReplState, argument: string): Update {
  const [name = '', value = ''] = argument.split(/\s+/);
  const { isLineMode, settings } = state;
  if (name === 'wrap') return setWrap(state, value);
  if (name === 'theme' && !isLineMode) return setTheme(state, value);
  if (name === 'theme') return refuse(state, '/settings theme has no effect in line mode');
  const rows = [
    ...(isLineMode ? [] : [`theme: ${settings.theme} (${themeNames.join(', ')})`]),
    `wrap: ${settings.wrap} (${wrapModes.join(', ')})`,
    'natter config list shows all settings, in a shell',
  ];
  if (name === '') return printNotice(state, rows.join('\n'));
  return refuse(state, `/settings does not know ${name}`, '/settings lists what it sets');
}

const reasoningModes = ['show', 'minimize', 'hide'] as const;

const reasoningText = {
  show: 'reasoning is shown before the answer',
  minimize: 'one row says how long the model reasoned',
  hide: 'reasoning is not shown',
} as const;

/** Shows or sets what the transcript shows of reasoning. */
function setReasoning(state: ReplState, argument: string): Update {
  if (argument === '' && state.activity === undefined) {
    const labels = reasoningModes.map((mode) => `${mode}: ${reasoningText[mode]}`);
    const dialog = settingDialog('reasoning', reasoningModes, state.reasoning, labels);
    return step({ ...state, dialog: { ...dialog, title: reasoningText[state.reasoning] } });
  }
  // The user has chosen, so the notice would explain nothing.
  const next = { ...state, hasExplainedThought: true };
  return setWord(state, ['mode', argument || state.reasoning], reasoningModes, (reasoning) =>
    showNow({ ...next, reasoning }, reasoningText[reasoning]),
  );
}

const timesText = {
  on: 'the transcript shows when prompts are sent; /time off hides it',
  off: 'the transcript does not show when prompts are sent; /time on shows it',
} as const;

function setTimes(state: ReplState, argument: string): Update {
  const other = state.settings.times === 'on' ? 'off' : 'on';
  return setWord(state, ['word', argument || other], ['on', 'off'] as const, (times) =>
    printNotice(withSettings(state, { times }), timesText[times]),
  );
}

const closed = (state: ReplState): ReplState => ({ ...state, dialog: undefined });

/** Asks for one of the values of a setting; the current one is selected. A label begins with its value. */
function settingDialog(
  name: 'model' | 'role' | 'theme' | 'reasoning',
  values: readonly string[],
  current: string | undefined,
  labels = values,
): Dialog {
  const set = { model: useModel, role: setRole, theme: setTheme, reasoning: setReasoning }[name];
  return {
    type: 'choice',
    title: current === undefined ? `no ${name} is set` : `the ${name} is ${current}`,
    choices: values.map((value, index) => ({
      label: labels[index] ?? value,
      choose: (state) => set(closed(state), value),
    })),
    selected: Math.max(0, values.indexOf(current ?? '')),
    filtersTyped: true,
    cancel: (state) => step(closed(state)),
  };
}

/** Asks before a model that the service does not list is used. */
function modelDialog(wanted: string, near: string | undefined, current: string): Dialog {
  const cancel = (state: ReplState) => step(closed(state));
  const use = (id: string, label: string) => ({
    label,
    choose: (state: ReplState) => useModel(closed(state), id),
  });
  return {
    type: 'choice',
    title: `the service does not list the model ${wanted}`,
    choices: [
      ...(near === undefined ? [] : [use(near, `use ${near}`)]),
      { label: `keep ${current}`, choose: cancel },
      use(wanted, `use ${wanted} anyway`),
    ],
    cancel,
  };
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

const looks = [
  ...themeNames.map((name) => `theme ${name}`),
  ...wrapModes.map((mode) => `wrap ${mode}`),
];

const named = (names: readonly string[]) => names.map((value) => ({ value }));

/** The model, what is sent besides the conversation, and how the transcript looks. */
export const settingsCommands: readonly SlashCommand[] = [
  {
    name: 'model',
    argument: '[id]',
    summary: 'choose the model from a list, or set it',
    example: '/model nextgen',
    completes: modelCandidates,
    run: setModel,
  },
  {
    name: 'system',
    argument: '[text]',
    summary: 'show or set the system prompt; off removes it',
    example: '/system Answer in one sentence.',
    takesLines: true,
    run: setSystem,
  },
  {
    name: 'role',
    argument: '[name]',
    summary: 'show or set the role, a system prompt; off removes it',
    example: '/role critic',
    completes: ({ context }) => named(roleNames(context)),
    run: setRole,
  },
  {
    name: 'param',
    argument: '[name=value]',
    summary: 'list or set parameters of requests; NAME off removes one',
    example: '/param temperature=0.2',
    run: setParameters,
  },
  {
    name: 'settings',
    argument: '[name]',
    summary: 'show or set the theme and the wrapping of answers',
    example: '/settings theme dark',
    completes: () => named(looks),
    run: setLook,
  },
  {
    name: 'reasoning',
    argument: '[word]',
    summary: 'show, minimize or hide the reasoning before answers',
    example: '/reasoning show',
    isImmediate: true,
    showsNow: true,
    completes: () => reasoningModes.map((value) => ({ value, summary: reasoningText[value] })),
    run: setReasoning,
  },
  {
    name: 'time',
    argument: '[on]',
    summary: 'show when prompts are sent; off hides it again',
    example: '/time on',
    completes: () => named(['on', 'off']),
    run: setTimes,
  },
];
