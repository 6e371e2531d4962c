import { definitions, settingKeys } from './definitions.ts';
import { formatDuration } from './value-types.ts';

/** A variable that natter reads, for `natter help environment`. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly summary: string;
  /** Absent if there is none. */
  readonly default?: string;
}

function settingVariable(key: (typeof settingKeys)[number]): EnvironmentVariable {
  const { variable, summary, type, default: value } = definitions[key];
  if (value === undefined) return { name: variable, summary };
  const text = type.name === 'duration' ? formatDuration(Number(value)) : String(value);
  return { name: variable, summary, default: text };
}

const processVariables: readonly EnvironmentVariable[] = [
  { name: 'NATTER_API_KEY', summary: 'API key, sent to any base URL' },
  { name: 'NATTER_UPSTREAM_API_KEY', summary: 'API key of the server behind natter sandbox' },
  { name: 'NATTER_QUEUE', summary: 'Queue of natter batch submit and work, with its password' },
  { name: 'NATTER_PROFILE', summary: 'Settings profile to use', default: 'default' },
  { name: 'NATTER_CONFIG_DIR', summary: 'Folder of settings and credentials, an absolute path' },
  { name: 'NATTER_DATA_DIR', summary: 'Folder of conversations, an absolute path' },
  { name: 'NATTER_STATE_DIR', summary: 'Folder of input history and drafts, an absolute path' },
  { name: 'NATTER_RECORD', summary: 'File to record requests and responses in, as --record' },
  { name: 'NATTER_REPLAY', summary: 'Recording to answer from, as --replay' },
  {
    name: 'NATTER_REPLAY_USED',
    summary: 'File that tracks the exchanges replayed by the runs of a script',
  },
  { name: 'NATTER_REPLAY_SPEED', summary: 'Pace of a replay, as --speed', default: '1' },
  { name: 'NATTER_DEBUG', summary: 'Any value writes a debug log to stderr, keys masked' },
  {
    name: 'NATTER_PAGER',
    summary: 'Pager for help longer than the terminal; empty or cat turns it off',
    default: 'PAGER',
  },
  { name: 'NATTER_ACCESSIBLE', summary: 'true prints plain labelled lines, nothing redrawn' },
  {
    name: 'NATTER_NO_SYNC',
    summary: 'Any value disables synchronized updates, for terminals that garble them',
  },
];

const sharedVariables: readonly EnvironmentVariable[] = [
  { name: 'NO_COLOR', summary: 'Any value turns colour off' },
  {
    name: 'FORCE_COLOR',
    summary: 'Any value but 0 and false forces colour without a terminal',
  },
  { name: 'CLICOLOR_FORCE', summary: 'The same as FORCE_COLOR' },
  { name: 'TERM', summary: 'dumb turns off styles, colour and redrawing' },
  { name: 'HTTP_PROXY', summary: 'Proxy for http addresses; loopback addresses are never proxied' },
  { name: 'HTTPS_PROXY', summary: 'Proxy for https addresses' },
  { name: 'ALL_PROXY', summary: 'Proxy for addresses that have no specific proxy' },
  { name: 'NO_PROXY', summary: 'Comma-separated hosts to reach without a proxy' },
  { name: 'NODE_EXTRA_CA_CERTS', summary: 'PEM file of extra certificate authorities' },
  { name: 'NODE_TLS_REJECT_UNAUTHORIZED', summary: '0 accepts any certificate (unsafe)' },
  { name: 'XDG_CONFIG_HOME', summary: "Parent folder of natter's settings", default: '~/.config' },
  {
    name: 'XDG_DATA_HOME',
    summary: "Parent folder of natter's conversations",
    default: '~/.local/share',
  },
  {
    name: 'XDG_STATE_HOME',
    summary: "Parent folder of natter's input history and drafts",
    default: '~/.local/state',
  },
  {
    name: 'XDG_CACHE_HOME',
    summary: "Parent folder of natter's compiled code",
    default: '~/.cache',
  },
  {
    name: 'NODE_COMPILE_CACHE',
    summary: 'Node caches the code of all programs there; natter then has no own cache',
  },
  { name: 'NODE_DISABLE_COMPILE_CACHE', summary: '1 disables the compile cache' },
  { name: 'VISUAL', summary: 'Editor for Ctrl+G in a conversation, with options' },
  { name: 'EDITOR', summary: 'Editor when VISUAL is not set', default: 'vi' },
  {
    name: 'PAGER',
    summary: 'Pager if NATTER_PAGER is not set: words, or a line for the shell',
    default: 'less, with FRX in LESS if that is not set',
  },
  { name: 'APPDATA', summary: "On Windows, parent folder of natter's settings" },
  {
    name: 'LOCALAPPDATA',
    summary: "On Windows, parent folder of natter's data, state and compiled code",
  },
];

/** All variables that natter reads; an empty one counts as unset. */
export const environmentVariables: readonly EnvironmentVariable[] = [
  ...settingKeys.map(settingVariable),
  ...processVariables,
  ...sharedVariables,
];
