import { withoutSources } from '../settings/resolved-settings.ts';
import { catalogue } from '../client/contract.ts';
import { describeModel } from '../client/models/model-description.ts';
import {
  catalogueMark,
  catalogueNote,
  hasCatalogueMark,
  modelCells,
  modelColumns,
} from '../commands/models/run.ts';
import { cleanLine } from '../secrets/secrets.ts';
import { definitions } from '../settings/definitions.ts';
import { roleNames, readRole } from '../settings/role.ts';
import type { ParameterChanges } from '../conversation/attributes.ts';
import { Failure } from '../failure.ts';
import { nearlyNamed } from '../near-name.ts';
import { tokenText } from '../output/figures.ts';
import { formatTable, spokenRows } from '../output/table.ts';
import { checkParameterName } from '../settings/setting-name.ts';
import { parseParameterValue, parseValue } from '../settings/setting-value.ts';
import { plainStyle, themeNames } from '../terminal/style.ts';
import { notice } from './transcript/transcript.ts';
import type { Candidate } from './composer/completion.ts';
import { changeJournal } from './conversations/position.ts';
import type { Repl, Session } from './session.ts';
import { offWords, type SlashCommand } from './slash-command.ts';
import type { Dialog, Update, ReplState, SessionSettings } from './state.ts';
import {
  closeDialog,
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

const modelsOf = ({ knownModels }: ReplState): ReadonlySet<string> =>
  new Set([...knownModels, ...catalogue.map(({ id }) => id), 'auto']);

/** Refuses an argument of several words in place of a model. */
export const refuseModelId = (state: ReplState): Update =>
  refuse(state, 'a model id cannot contain spaces', '/model lists them');

function setModel(state: ReplState, model: string): Update {
  if (model === '') return startActivity(state, 'listing models', listModels, undefined);
  if (/\s/.test(model)) return refuseModelId(state);
  return modelsOf(state).has(model)
    ? useModel(state, model)
    : startActivity(state, 'looking for the model', findModel, model);
}

function useModel(state: ReplState, model: string): Update {
  const next = { ...withSettings(state, { model }), hasOfferedModel: false };
  const isKnown = modelsOf(state).has(model);
  const warning = isKnown ? '' : '; natter does not know it, /model lists the available models';
  const shown = printing(notice(`the model is now ${model}${warning}`));
  // Without turns there is nothing to resume.
  const isEmpty = state.conversation.turns.size === 0;
  return isEmpty ? step(next, shown) : step(next, task(changeJournal, { set: { model } }), shown);
}

/** Asks the service for its models, and keeps them for completion. `problem` says why there are none. */
async function readModels(session: Session, signal: AbortSignal) {
  const { service, context } = session;
  try {
    const { client, windows: reported } = service.current();
    const records = await client.listModels({ signal });
    const knownModels = records.map(({ id }) => id);
    const windows = reported();
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
export async function listModels(session: Session, _input: undefined, signal: AbortSignal) {
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
    openDialog(session, settingDialog('model', known, model, useModel));
    return [notice(problem)];
  }
  const width = Math.max(1, state.columns - choiceMargin);
  const table = formatTable(modelColumns, rows, { isTerminal: true, width, style: plainStyle });
  const auto = 'auto: the smallest model that the prompt fits';
  const labels = [...table.trimEnd().split('\n').slice(1), auto];
  const ids = [...records.map(({ id }) => id), 'auto'];
  const dialog = settingDialog('model', ids, model, useModel, labels);
  const note = rows.some(hasCatalogueMark) ? `; ${catalogueNote}` : '';
  openDialog(session, { ...dialog, title: `${dialog.title}${note}` });
  return [];
}

/** Sets a model whose name is new to natter; asks first if the service lists models, but not this one. */
async function findModel(session: Session, model: string, signal: AbortSignal) {
  const { problem } = await readModels(session, signal);
  session.update((state) => {
    const known = modelsOf(state);
    if (problem !== undefined || known.has(model)) return useModel(state, model);
    const near = nearlyNamed(model, known);
    const use = (id: string, label: string) => ({
      label,
      choose: (now: ReplState) => useModel({ ...now, dialog: undefined }, id),
    });
    const dialog: Dialog = {
      type: 'choice',
      title: `the service does not list the model ${model}`,
      choices: [
        ...(near === undefined ? [] : [use(near, `use ${near}`)]),
        { label: `keep ${state.settings.model}`, choose: closeDialog },
        use(model, `use ${model} anyway`),
      ],
      cancel: closeDialog,
    };
    return step({ ...state, dialog });
  });
  return [];
}

const none: ParameterChanges = { set: {}, removed: [] };

/** Reads the value of a field as typed. @throws Failure `usage` */
function parameterOf(name: string, typed: string): unknown {
  if (name === 'model' || name === 'stream') {
    const own = name === 'model' ? '/model NAME sets it' : 'restart natter with --no-stream';
    throw new Failure('usage', `the parameter ${name} is set by natter itself`, { hint: own });
  }
  const label = `the value of ${checkParameterName(name, 'usage')}`;
  const hint = `/param ${name}="two words"`;
  const value = parseParameterValue(typed, { label, kind: 'usage', hint });
  if (name !== 'temperature' || typeof value === 'number') return value;
  throw new Failure('usage', 'temperature needs a number from 0 on', {
    hint: '/param temperature=0.2, or /param temperature off',
  });
}

/** Changes the token limit of answers, which is a setting. @throws Failure `usage` */
function setTokenLimit(session: Session, typed: string): string {
  const hint = '/param max_tokens=500, or /param max_tokens off';
  const origin = { label: 'max_tokens', kind: 'usage', hint } as const;
  const maxTokens = offWords.has(typed)
    ? undefined
    : parseValue(definitions.maxTokens.type, typed, origin);
  session.update((state) => step(withSettings(state, { maxTokens })));
  return maxTokens === undefined
    ? 'natter sets no token limit for answers'
    : `answers are limited to ${tokenText(maxTokens)}`;
}

/** Lists the fields that are sent besides the usual ones, or the one with this name. */
function listParameters(sent: Readonly<Record<string, unknown>>, name: string): string {
  const fields = Object.entries(sent).filter(([field]) => name === '' || field === name);
  const list = fields.map(([field, value]) => `${field}=${JSON.stringify(value)}`).join(', ');
  if (name !== '') return list || `no parameter ${name} is sent; /param ${name}=VALUE sets it`;
  return list === ''
    ? 'no parameters are sent; /param temperature=0.2 adds one'
    : `parameters: ${list}; /param NAME off removes one`;
}

/**
 * Lists or changes the fields of the next requests: `name=value`, also with blanks around the sign or instead of it. The
 * conversation keeps a change. @returns what to say @throws Failure `usage`
 */
function setParameter(session: Session, text: string): string {
  const { settings } = session.state();
  const { maxTokens, parameters: { set, removed } = none } = settings;
  const change = (parameters: ParameterChanges, said: string) => {
    session.journal().set({ parameters });
    session.update((state) => step(withSettings(state, { parameters })));
    return said;
  };
  if (text === 'off') return change(none, 'the parameters are again those in your settings');
  const sent = withoutSources(session.service.settingsOf(settings).params);
  const [, name = '', sign = '', typed = ''] = /^([^=\s]*)(\s*=\s*|\s+)?(.*)$/s.exec(text) ?? [];
  if (text.includes('=') && (name === '' || typed === '')) {
    throw new Failure('usage', '/param needs a name and a value', { hint: '/param top_p=0.9' });
  }
  if (typed !== '' && name === 'max_tokens') return setTokenLimit(session, typed);
  // After the sign, it is a value: thinking=off.
  const isOff = !sign.includes('=') && offWords.has(typed);
  if (typed === '' || (isOff && !Object.hasOwn(sent, name))) {
    return listParameters({ ...(maxTokens && { max_tokens: maxTokens }), ...sent }, name);
  }
  const { [name]: _old, ...others } = set;
  const kept = removed.filter((one) => one !== name);
  if (isOff) return change({ set: others, removed: [...kept, name] }, `${name} is no longer sent`);
  const value = parameterOf(name, typed);
  const changed = { set: { ...others, [name]: value }, removed: kept };
  return change(changed, `${name} is now ${JSON.stringify(value)}`);
}

const changeParameters = async (session: Session, text: string) => [
  notice(cleanLine(session.context, setParameter(session, text))),
];

/** Sets the system prompt of the next prompts to the text of a role; without a name, lists the roles. */
async function chooseRole(session: Session, name: string) {
  const { context } = session;
  const { settings, isLineMode } = session.state();
  if (name !== '') {
    const system = readRole(context, name);
    session.update((state) => step(withSettings(state, { role: name, system })));
    return [notice(cleanLine(context, `the role is now ${name}; /system shows its text`))];
  }
  const names = roleNames(context);
  if (!isLineMode && names.length > 0) {
    openDialog(session, settingDialog('role', names, settings.role, setRole));
    return [];
  }
  const current = settings.role === undefined ? 'no role is set' : `the role is ${settings.role}`;
  const others = names.length === 0 ? 'there are no roles yet' : `roles: ${names.join(', ')}`;
  return [notice(cleanLine(context, `${current}; ${others}`))];
}

function setSystem(state: ReplState, argument: string): Update {
  const given = offWords.has(argument) ? undefined : argument;
  const next = argument === '' ? state : withSettings(state, { system: given, role: undefined });
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

// The transcript reads the theme from the state.
const setTheme = (state: ReplState, typed: string): Update =>
  setWord(state, ['theme', typed], themeNames, (theme) =>
    printNotice(withSettings(state, { theme }), `the theme is ${theme}`),
  );

const wrapModes = ['words', 'none'] as const;

const wrapText = {
  words: 'rows of answers end between words; /settings wrap none lets the terminal wrap them',
  none: 'the terminal wraps answers; /settings wrap words ends rows between words',
} as const;

/** Shows or sets how natter looks in this conversation. */
function setLook(state: ReplState, argument: string): Update {
  const [name = '', value = ''] = argument.split(/\s+/);
  const { isLineMode, settings } = state;
  if (name === 'wrap') {
    return setWord(state, ['wrap mode', value || settings.wrap], wrapModes, (wrap) =>
      printNotice(withSettings(state, { wrap }), wrapText[wrap]),
    );
  }
  if (name === 'theme') {
    if (isLineMode) return refuse(state, '/settings theme has no effect in line mode');
    if (value !== '') return setTheme(state, value);
    const dialog = settingDialog('theme', themeNames, settings.theme, setTheme);
    return step({ ...state, dialog });
  }
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
    const { reasoning } = state;
    const dialog = settingDialog('reasoning', reasoningModes, reasoning, setReasoning, labels);
    return step({ ...state, dialog: { ...dialog, title: reasoningText[reasoning] } });
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

/** Asks for one of the values of a setting; the current one is selected. A label begins with its value. */
function settingDialog(
  name: string,
  values: readonly string[],
  current: string | undefined,
  set: (state: ReplState, value: string) => Update,
  labels = values,
): Dialog {
  return {
    type: 'choice',
    title: current === undefined ? `no ${name} is set` : `the ${name} is ${current}`,
    choices: values.map((value, index) => ({
      label: labels[index] ?? value,
      choose: (state) => set({ ...state, dialog: undefined }, value),
    })),
    selected: Math.max(0, values.indexOf(current ?? '')),
    filtersTyped: true,
    cancel: closeDialog,
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
    run: (state, text) => startActivity(state, 'changing parameters', changeParameters, text),
  },
  {
    name: 'settings',
    argument: '[name]',
    summary: 'show or set the theme and the wrapping of answers',
    example: '/settings theme dark',
    completes: () =>
      named([
        ...themeNames.map((name) => `theme ${name}`),
        ...wrapModes.map((mode) => `wrap ${mode}`),
      ]),
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
    run(state, argument) {
      const other = state.settings.times === 'on' ? 'off' : 'on';
      return setWord(state, ['word', argument || other], ['on', 'off'] as const, (times) =>
        printNotice(withSettings(state, { times }), timesText[times]),
      );
    },
  },
];
