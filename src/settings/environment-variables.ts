import { definitions, settingKeys } from './definitions.ts';
import { formatDuration } from './duration.ts';

/** A variable natter reads, for `natter help environment`. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly summary: string;
  /** As text; absent where there is none. */
  readonly default?: string;
}

function settingVariable(key: (typeof settingKeys)[number]): EnvironmentVariable {
  const { variable, summary, type, default: value } = definitions[key];
  if (value === undefined) return { name: variable, summary };
  const text = type.name === 'duration' ? formatDuration(Number(value)) : String(value);
  return { name: variable, summary, default: text };
}

const processVariables: readonly EnvironmentVariable[] = [
  { name: 'NATTER_API_KEY', summary: 'API key, sent to whatever base URL is in force' },
  { name: 'NATTER_UPSTREAM_API_KEY', summary: 'API key of the server behind natter sandbox' },
  { name: 'NATTER_PROFILE', summary: 'Profile to take settings from', default: 'default' },
  { name: 'NATTER_CONFIG_DIR', summary: 'Folder of settings and credentials, an absolute path' },
  { name: 'NATTER_DATA_DIR', summary: 'Folder of conversations, an absolute path' },
  { name: 'NATTER_STATE_DIR', summary: 'Folder of input history and drafts, an absolute path' },
  { name: 'NATTER_RECORD', summary: 'File to record what travels into, as --record' },
  { name: 'NATTER_REPLAY', summary: 'Recording to answer from, as --replay' },
  {
    name: 'NATTER_REPLAY_USED',
    summary: 'File in which the runs of a script note what they used of a recording',
  },
  { name: 'NATTER_REPLAY_SPEED', summary: 'Pace of a replay, as --speed', default: '1' },
  { name: 'NATTER_DEBUG', summary: 'Any value shows what natter does on stderr, keys masked' },
  { name: 'NATTER_ACCESSIBLE', summary: 'Any value prints plain labelled lines, nothing redrawn' },
  {
    name: 'NATTER_NO_SYNC',
    summary: 'Any value draws without synchronized updates, for a terminal that garbles them',
  },
];

const sharedVariables: readonly EnvironmentVariable[] = [
  { name: 'NO_COLOR', summary: 'Any value switches colour off' },
  {
    name: 'FORCE_COLOR',
    summary: 'Any value but 0 and false forces colour where there is no terminal',
  },
  { name: 'CLICOLOR_FORCE', summary: 'The same as FORCE_COLOR' },
  { name: 'TERM', summary: 'dumb switches styles, colour and redrawing off' },
  { name: 'HTTP_PROXY', summary: 'Proxy for http addresses; this machine is always direct' },
  { name: 'HTTPS_PROXY', summary: 'Proxy for https addresses' },
  { name: 'ALL_PROXY', summary: 'Proxy for addresses without one of their own' },
  { name: 'NO_PROXY', summary: 'Hosts that are reached without a proxy, separated by commas' },
  { name: 'NODE_EXTRA_CA_CERTS', summary: 'File of further certificate authorities, PEM' },
  { name: 'NODE_TLS_REJECT_UNAUTHORIZED', summary: '0 accepts any certificate, which is unsafe' },
  { name: 'XDG_CONFIG_HOME', summary: 'Holds the folder natter of settings', default: '~/.config' },
  {
    name: 'XDG_DATA_HOME',
    summary: 'Holds the folder natter of conversations',
    default: '~/.local/share',
  },
  {
    name: 'XDG_STATE_HOME',
    summary: 'Holds the folder natter of input history and drafts',
    default: '~/.local/state',
  },
  {
    name: 'XDG_CACHE_HOME',
    summary: 'Holds the folder natter of compiled code',
    default: '~/.cache',
  },
  { name: 'NODE_COMPILE_CACHE', summary: 'The same, and wins over it' },
  { name: 'NODE_DISABLE_COMPILE_CACHE', summary: '1 keeps no compiled code' },
  { name: 'VISUAL', summary: 'Editor of Ctrl+G in a conversation, with options' },
  { name: 'EDITOR', summary: 'The same where VISUAL is not set', default: 'vi' },
  { name: 'APPDATA', summary: 'On Windows, holds the folder natter of settings' },
  {
    name: 'LOCALAPPDATA',
    summary: 'On Windows, holds the folder natter of data, state and compiled code',
  },
];

/** Every variable natter reads; an empty one counts as unset. */
export const environmentVariables: readonly EnvironmentVariable[] = [
  ...settingKeys.map(settingVariable),
  ...processVariables,
  ...sharedVariables,
];
