import { type Definition, definitions, settingKeys, storedValue } from './definitions.ts';

const otherVariables: readonly (readonly [name: string, summary: string, value?: string])[] = [
  ['NATTER_API_KEY', 'API key, sent to any base URL'],
  ['NATTER_UPSTREAM_API_KEY', 'API key of the server behind natter sandbox'],
  ['NATTER_QUEUE', 'Queue of natter batch submit and work, with its password'],
  ['NATTER_PROFILE', 'Settings profile to use', 'default'],
  ['NATTER_CONFIG_DIR', 'Folder of settings and credentials, an absolute path'],
  ['NATTER_DATA_DIR', 'Folder of conversations, an absolute path'],
  ['NATTER_STATE_DIR', 'Folder of input history and drafts, an absolute path'],
  ['NATTER_RECORD', 'File to record requests and responses in, as --record'],
  ['NATTER_REPLAY', 'Recording to answer from, as --replay'],
  ['NATTER_REPLAY_USED', 'File that tracks the exchanges replayed by the runs of a script'],
  ['NATTER_REPLAY_SPEED', 'Pace of a replay, as --speed', '1'],
  ['NATTER_DEBUG', 'Any value writes a debug log to stderr, keys masked'],
  ['NATTER_PAGER', 'Pager for help longer than the terminal; empty or cat turns it off', 'PAGER'],
  ['NATTER_ACCESSIBLE', 'true prints plain labelled lines, nothing redrawn'],
  ['NATTER_NO_SYNC', 'Any value disables synchronized updates, for terminals that garble them'],
  ['NO_COLOR', 'Any value turns colour off'],
  ['FORCE_COLOR', 'Any value but 0 and false forces colour without a terminal'],
  ['CLICOLOR_FORCE', 'The same as FORCE_COLOR'],
  ['TERM', 'dumb turns off styles, colour and redrawing'],
  ['HTTP_PROXY', 'Proxy for http addresses; loopback addresses are never proxied'],
  ['HTTPS_PROXY', 'Proxy for https addresses'],
  ['ALL_PROXY', 'Proxy for addresses that have no specific proxy'],
  ['NO_PROXY', 'Comma-separated hosts to reach without a proxy'],
  ['NODE_EXTRA_CA_CERTS', 'PEM file of extra certificate authorities'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0 accepts any certificate (unsafe)'],
  ['XDG_CONFIG_HOME', "Parent folder of natter's settings", '~/.config'],
  ['XDG_DATA_HOME', "Parent folder of natter's conversations", '~/.local/share'],
  ['XDG_STATE_HOME', "Parent folder of natter's input history and drafts", '~/.local/state'],
  ['XDG_CACHE_HOME', "Parent folder of natter's compiled code", '~/.cache'],
  [
    'NODE_COMPILE_CACHE',
    'Node caches the code of all programs there; natter then has no own cache',
  ],
  ['NODE_DISABLE_COMPILE_CACHE', '1 disables the compile cache'],
  ['VISUAL', 'Editor for Ctrl+G in a conversation, with options'],
  ['EDITOR', 'Editor when VISUAL is not set', 'vi'],
  [
    'PAGER',
    'Pager if NATTER_PAGER is not set: words, or a line for the shell',
    'less, with FRX in LESS if that is not set',
  ],
  ['APPDATA', "On Windows, parent folder of natter's settings"],
  ['LOCALAPPDATA', "On Windows, parent folder of natter's data, state and compiled code"],
];

/** All variables that natter reads; an empty one counts as unset. */
export const environmentVariables = [
  ...settingKeys.map((key) => {
    const { variable, summary, type, default: value } = definitions[key] as Definition<unknown>;
    const text = value === undefined ? undefined : String(storedValue(type, value));
    return { name: variable, summary, default: text };
  }),
  ...otherVariables.map(([name, summary, value]) => ({ name, summary, default: value })),
];
