import { catalogue } from '../client/contract.ts';
import { describeModel } from '../client/models/model-description.ts';
import { catalogueNote, hasCatalogueMark, modelCells } from '../commands/models/model-text.ts';
import { cleanLine } from '../secrets/secrets.ts';
import { roleNames, readRole } from '../settings/role.ts';
import type { ParameterChanges } from '../conversation/attributes.ts';
import { Failure } from '../failure.ts';
import { nearlyNamed } from '../near-name.ts';
import { tokenText } from '../output/figures.ts';
import { checkParameterName } from '../settings/setting-name.ts';
import { parseParameterValue } from '../settings/setting-value.ts';
import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import { themeNames } from '../terminal/style.ts';
import { displayWidth, padToWidth, truncateToWidth } from '../terminal/text/width.ts';
import { notice } from './transcript/entry.ts';
import type { Candidate } from './composer/completion.ts';
import { type Repl, runActivity, type Session } from './session.ts';
import { offWords, type SlashCommand } from './slash-command.ts';
import type { Dialog, Step, ReplState, SessionSettings } from './state.ts';
import { openDialog, printNotice, printing, refuse, startActivity, step, task } from './step.ts';
import type { WrapMode } from '../terminal/markdown/markdown-stream.ts';

function withSettings(state: ReplState, changes: Partial<SessionSettings>): ReplState {
  return { ...state, settings: { ...state.settings, ...changes } };
}

export function recordModel(session: Session, { model }: { readonly model: string }): void {
  session.journal().set({ model });
}

const modelsOf = ({ knownModels }: ReplState): ReadonlySet<string> =>
  new Set([...knownModels, ...catalogue.map(({ id }) => id), 'auto']);

/** Opens a list of the models, or sets one. During an answer there is no list, and an unknown name is not checked. */
function setModel(state: ReplState, model: string): Step {
  const known = modelsOf(state);
  const isFree = state.activity === undefined;
  if (model === '') {
    if (isFree) return startActivity(state, 'listing models', task(listModels, undefined));
    const list = [...known].join(', ');
    return printNotice(state, `the model is ${state.settings.model}; known models: ${list}`);
  }
  if (/\s/.test(model)) {
    return refuse(state, 'a model id cannot contain spaces', '/model lists them');
  }
  return known.has(model) || !isFree
    ? useModel(state, model)
    : startActivity(state, 'looking for the model', task(findModel, { model }));
}

/** Sets the model of the next prompts. */
function useModel(state: ReplState, model: string): Step {
  const known = modelsOf(state);
  const next = { ...withSettings(state, { model }), hasOfferedModel: false };
  const near = nearlyNamed(model, known);
  const help =
    near === undefined ? '/model lists the available models' : `did you mean /model ${near}?`;
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
  const maxTokens = offWords.has(argument) ? undefined : Number(argument);
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens >= 1)) {
    return refuse(
      state,
      'max_tokens needs a whole number of at least 1',
      '/param max_tokens=500, or /param max_tokens off',
    );
  }
  return printNotice(withSettings(state, { maxTokens }), limitText(maxTokens));
}

/** Asks the service for its models, and keeps them for completion. `problem` says why there are none. */
async function readModels(session: Session, signal: AbortSignal) {
  const { service, context } = session;
  try {
    const records = await service.client().listModels({ signal });
    const ids = records.map(({ id }) => id);
    const windows = service.windows();
    session.update((state) =>
      step({ ...state, knownModels: ids, service: { ...state.service, windows } }),
    );
    return { records, problem: ids.length === 0 ? 'the service lists no models' : undefined };
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    const problem = cleanLine(context, `the service did not list its models: ${error.message}`);
    return { records: [], problem };
  }
}

/** Columns of a choice beside its label: the mark, the number, and the last column. */
const choiceMargin = 7;

/** The id of each model and what is known of it, one row each. */
function modelRows(rows: readonly (readonly string[])[], columns: number): readonly string[] {
  const cells = rows.map((row) => row.map(sanitizeLine));
  const widths = cells[0]?.map((_, at) =>
    Math.max(...cells.map((row) => displayWidth(row[at] ?? ''))),
  );
  return cells.map((row) => {
    const padded = row.map((cell, at) => padToWidth(cell, widths?.[at] ?? 0));
    const text = padded.filter((cell) => cell !== '').join('  ');
    return truncateToWidth(text.trimEnd(), Math.max(1, columns - choiceMargin));
  });
}

/** Opens a list of the service's models, or of those that natter knows; in line mode, prints it. */
export function listModels(session: Session): Promise<void> {
  return runActivity(session, async (signal) => {
    const { records, problem } = await readModels(session, signal);
    const state = session.state();
    const { columns, isLineMode } = state;
    const { model } = state.settings;
    const known = [...modelsOf(state)];
    if (isLineMode) {
      const list = session.service.describeModels(records);
      const rows = problem === undefined ? list : `${problem}; known models: ${known.join(', ')}`;
      const other = '/model auto takes the smallest one that the prompt fits';
      return [notice(`the model is ${model}; ${other}`), notice(rows)];
    }
    if (problem !== undefined) {
      openDialog(session, settingDialog('model', known, model));
      return [notice(problem)];
    }
    const rows = records.map((record) => modelCells(describeModel(record), true));
    const labels = [...modelRows(rows, columns), 'auto: the smallest model that the prompt fits'];
    const ids = [...records.map(({ id }) => id), 'auto'];
    const dialog = settingDialog('model', ids, model, labels);
    const note = rows.some(hasCatalogueMark) ? `; ${catalogueNote}` : '';
    openDialog(session, { ...dialog, title: `${dialog.title}${note}` });
    return [];
  });
}

/** Sets a model whose name is new to natter; asks first if the service lists models, but not this one. */
async function findModel(session: Session, { model }: { readonly model: string }): Promise<void> {
  return runActivity(session, async (signal) => {
    const { problem } = await readModels(session, signal);
    const state = session.state();
    const known = modelsOf(state);
    if (problem !== undefined || known.has(model) || state.isLineMode) {
      session.update((current) => useModel(current, model));
      return [];
    }
    openDialog(session, modelDialog(model, nearlyNamed(model, known), state.settings.model));
    return [];
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
  if (word !== undefined && offWords.has(word) && rest.length === 0) {
    if (!Object.hasOwn(sent, name)) {
      if (name === 'temperature') return undefined;
      throw new Failure('usage', `no parameter ${name} is sent`, { hint: '/param lists them' });
    }
    const others = Object.entries(set).filter(([other]) => other !== name);
    const all = [...new Set([...removed, name])];
    return [{ set: Object.fromEntries(others), removed: all }, `${name} is no longer sent`];
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
  if (name === 'temperature' && list === '') {
    return 'no temperature is sent; /param temperature=0.2 sets it';
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
      session.journal().set({ parameters });
      session.update((state) => step(withSettings(state, { parameters })));
    }
    const [name = ''] = text.split(' ', 1);
    const { maxTokens } = settings;
    const limit = maxTokens === undefined ? {} : { max_tokens: maxTokens };
    const shown = report ?? listText({ ...limit, ...sent }, name);
    return [notice(cleanLine(session.context, shown))];
  });
}

const commands: ReadonlyMap<string, string> = new Map([
  ['model', '/model NAME sets it'],
  ['stream', 'restart natter with --no-stream'],
]);

/** @throws Failure `usage`, with the command that sets a field of natter's own */
function checkName(name: string): string {
  const hint = commands.get(name);
  if (hint === undefined) return checkParameterName(name, 'usage');
  throw new Failure('usage', `the parameter ${name} is set by natter itself`, { hint });
}

/** Reads `name=value`, also with blanks around the sign or instead of it. @throws Failure `usage` */
export function parseSessionParameter(text: string): readonly [name: string, value: unknown] {
  const [, name, value] = /^([^=\s]+)(?:\s*=\s*|\s+)(.+)$/s.exec(text) ?? [];
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
    if (name === '') {
      const names = roleNames(context);
      if (session.state().isLineMode || names.length === 0) {
        return [notice(cleanLine(context, rolesText(session)))];
      }
      openDialog(session, settingDialog('role', names, session.state().settings.role));
      return [];
    }
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

function setParameters(state: ReplState, text: string): Step {
  const [, maxTokens] = /^max_tokens(?:\s*=\s*|\s+)(.+)$/.exec(text) ?? [];
  if (maxTokens !== undefined) return setMaxTokens(state, maxTokens.trim());
  return startActivity(state, 'changing parameters', task(changeParameters, { text }));
}

function setTheme(state: ReplState, argument: string): Step {
  const { settings } = state;
  const available = `available: ${themeNames.join(', ')}`;
  if (argument === '') {
    if (state.activity !== undefined || state.isLineMode) {
      return printNotice(state, `the theme is ${settings.theme}; ${available}`);
    }
    return step({ ...state, dialog: settingDialog('theme', themeNames, settings.theme) });
  }
  const theme = themeNames.find((name) => name === argument);
  if (theme === undefined) return refuse(state, `unknown theme ${argument}`, available);
  // The transcript reads the theme from the state.
  return printNotice(withSettings(state, { theme }), `the theme is ${theme}`);
}

const wrapModes: readonly WrapMode[] = ['words', 'none'];

const wrapText = {
  words: 'rows of answers end between words; /settings wrap none lets the terminal wrap them',
  none: 'the terminal wraps answers; /settings wrap words ends rows between words',
} as const;

function setWrap(state: ReplState, argument: string): Step {
  const { settings } = state;
  if (argument === '') return printNotice(state, wrapText[settings.wrap]);
  const wrap = wrapModes.find((mode) => mode === argument);
  if (wrap === undefined)
    return refuse(state, `unknown wrap mode ${argument}`, `available: ${wrapModes.join(', ')}`);
  return printNotice(withSettings(state, { wrap }), wrapText[wrap]);
}

/** Shows or sets how natter looks in this conversation. */
function setLook(state: ReplState, argument: string): Step {
  const [, name = '', value = ''] = /^(\S*)\s*(.*)$/.exec(argument) ?? [];
  const { isLineMode, settings } = state;
  if (name === 'theme') {
    if (isLineMode) return refuse(state, '/settings theme has no effect in line mode');
    return setTheme(state, value);
  }
  if (name === 'wrap') return setWrap(state, value);
  const rows = [
    ...(isLineMode ? [] : [`theme: ${settings.theme} (${themeNames.join(', ')})`]),
    `wrap: ${settings.wrap} (${wrapModes.join(', ')})`,
    'natter config list shows all settings, in a shell',
  ];
  if (name === '') return printNotice(state, rows.join('\n'));
  const examples = `${isLineMode ? '' : '/settings theme dark, or '}/settings wrap none`;
  return refuse(state, `/settings does not know ${name}`, examples);
}

const closed = (state: ReplState): ReplState => ({ ...state, dialog: undefined });

/** Asks for one of the values of a setting; the current one is selected. A label begins with its value. */
function settingDialog(
  name: 'model' | 'role' | 'theme',
  values: readonly string[],
  current: string | undefined,
  labels = values,
): Dialog {
  const set = { model: useModel, role: setRole, theme: setTheme }[name];
  return {
    type: 'choice',
    title: current === undefined ? `no ${name} is set` : `the ${name} is ${current}`,
    choices: values.map((value, index) => ({
      label: labels[index] ?? value,
      choose: (state) => set(closed(state), value),
    })),
    selected: Math.max(0, values.indexOf(current ?? '')),
    selectsTyped: true,
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
    group: 'settings',
    example: '/model nextgen',
    completes: modelCandidates,
    isImmediate: true,
    run: setModel,
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
    name: 'param',
    argument: '[name=value]',
    summary: 'list or set parameters of requests; NAME off removes',
    group: 'settings',
    example: '/param temperature=0.2',
    run: setParameters,
  },
  {
    name: 'settings',
    argument: '[name]',
    summary: 'show or set the theme and the wrapping of answers',
    group: 'settings',
    example: '/settings theme dark',
    completes: () => named(looks),
    isImmediate: true,
    run: setLook,
  },
];
