import { resolve } from 'node:path';

const local = (path) => resolve(import.meta.dirname, '../..', path);

const program = ['src/commands/program/program.ts'];
const report = ['src/commands/program/report.ts'];
const completion = ['src/commands/completion/run.ts'];
const repl = ['src/commands/repl/run.ts'];
const screen = ['src/repl/live/start-live.ts'];
/** Commands that share much code with the REPL. */
const relatives = [
  'conversations/run',
  'conversations/search-run',
  'conversations/text-run',
  'last/run',
  'models/run',
  'compare/run',
].map((name) => `src/commands/${name}.ts`);
const batch = ['src/commands/batch/run.ts'];
const prompt = ['src/commands/chat/start.ts', 'src/commands/chat/run.ts', 'src/client/service.ts'];

/**
 * Modules that are loaded together form a chunk, because a separate file for every module that two commands share costs
 * each prompt a third of a millisecond per file. A chunk contains its roots and their static imports (with `within`,
 * only those that the `within` roots import too), except modules of earlier chunks.
 */
const chunks = [
  { name: 'main', roots: ['src/main.ts'] },
  { name: 'shared', roots: [...program, ...completion, ...report], within: prompt },
  {
    name: 'shared',
    roots: [
      'src/commands/completion/tree.ts',
      'src/commands/program/command-line.ts',
      'src/client/failure/request-failure.ts',
      'src/commands/program/command-line.ts',
      'src/entities/decode-entities.ts',
    ],
  },
  { name: 'program', roots: program },
  // One chunk for a prompt and its answer: the exports of two fill the space for new objects, and a prompt over https had
  // one garbage collection more (docs/decisions/0016-early-connection.md).
  {
    name: 'chat',
    roots: [
      ...prompt,
      'src/client/create-client.ts',
      'src/client/http/node/node-network.ts',
      'src/commands/service/masked-client.ts',
      'src/secrecy/mask.ts',
      'src/conversation/journal/record-answer.ts',
      'src/conversation/journal/open-journal.ts',
    ],
  },
  // Requests without an early connection, and unusual responses.
  {
    name: 'exchange',
    roots: ['exchange', 'node-connections', 'replayed-response'].map(
      (name) => `src/client/http/node/${name}.ts`,
    ),
  },
  { name: 'usage-meter', roots: ['src/commands/service/usage-meter.ts'] },
  { name: 'report', roots: report },
  { name: 'colors', roots: ['src/terminal/chalk-style.ts'] },
  // Of conversations, and of `natter prompts edit`.
  { name: 'editor', roots: ['src/repl/system/external-editor.ts'] },
  // Of conversations, and of `natter config keys`.
  { name: 'keys', roots: ['src/repl/editing/keys/key-map.ts'] },
  // Also of `--dry-run`.
  { name: 'table', roots: ['src/output/table.ts'] },
  { name: 'common', roots: repl, within: relatives },
  { name: 'store', roots: repl, within: ['src/commands/config/run.ts'] },
  { name: 'repl', roots: repl },
  { name: 'region', roots: screen, within: relatives },
  // Also of notices, which do not need the session.
  { name: 'region', roots: ['src/terminal/text/hang-text.ts'] },
  { name: 'session', roots: screen, within: ['src/repl/line-mode/run-line-mode.ts'] },
  { name: 'screen', roots: screen },
  // Split as rolldown does: other commands use them, and need nothing else of the parts of a batch.
  {
    name: null,
    roots: [
      'src/client/http/undici/undici-network.ts',
      'src/terminal/window/window-ways.ts',
      'src/commands/print/window-status.ts',
      'src/commands/print/notice-rows.ts',
      'src/commands/program/named-file.ts',
      'src/output/money.ts',
    ],
  },
  { name: 'batch-results', roots: batch, within: ['src/commands/batch/merge-run.ts'] },
  { name: 'batch-items', roots: batch, within: ['src/commands/batch/export-run.ts'] },
  { name: 'batch-common', roots: batch, within: ['src/commands/batch/dry-run.ts'] },
  // The reader of Markdown for screen readers uses a part of it.
  { name: 'marked', roots: ['node_modules/marked/lib/marked.esm.js'] },
  { name: 'markdown', roots: ['src/terminal/markdown/markdown-stream.ts'] },
];

const under = (folder, names) => names.split(' ').map((name) => `${folder}/${name}`);
const source = (folder, names) => under(`src/${folder}`, names).map((path) => `${path}.ts`);
const modes = (names) =>
  under('node_modules/@codemirror/legacy-modes/mode', names).map((path) => `${path}.js`);

/** Small modules that are used together or seldom: a file for each would cost about 100 bytes of the package. Not modules that prompts name, because the names would get longer. */
const smallModules = {
  // Loaded in advance a second after the first frame of a conversation.
  later: [
    ...source(
      'repl/effects',
      'change-parameters choose-role export-conversation mentioned-files show-context use-prompt-file',
    ),
    ...source('repl/slash-commands', 'prompt-arguments'),
    ...source('repl/text', 'context-text'),
    ...source('repl/shell', 'output-lines output-tail run-shell-line'),
    ...source('repl/system', 'private-file shell-command'),
    ...source('conversation', 'context-parts'),
    ...source('commands/repl', 'path-index'),
    ...source('attachments', 'list-paths'),
    ...source('terminal/device', 'process-group'),
  ],
  'auth-run': source('commands/auth', 'check-service login-questions login-run run'),
  'prompts-run': source('commands/prompts', 'edit-run new-prompt prompt-text run write-prompt'),
  'shell-init-answer': source(
    'commands/shell-init',
    'command-answer explain-run read-input shell-prompts suggest-run',
  ),
  'stored-paths': [
    ...source('settings', 'cache-folder'),
    ...source('commands/service', 'stored-paths'),
  ],
  export: source('conversation/export', 'export format'),
  ledger: source('ledger', 'ledger-line local-time read-ledger'),
  formats: modes('cmake diff http properties protobuf toml yaml'),
  languages: modes('clojure elm erlang groovy haskell julia lua r stex swift'),
  'simple-mode': modes('dockerfile nginx powershell rust simple-mode'),
};

function closureOf(roots, getModuleInfo) {
  const closure = new Set();
  const add = (id) => {
    if (closure.has(id)) return;
    closure.add(id);
    for (const imported of getModuleInfo(id).importedIds) add(imported);
  };
  for (const root of roots) {
    if (getModuleInfo(local(root)) === null) throw new Error(`${root} is not in the bundle`);
    add(local(root));
  }
  return closure;
}

function assign(getModuleInfo) {
  const chunkOf = new Map();
  for (const { name, roots, within } of chunks) {
    const limit = within === undefined ? undefined : closureOf(within, getModuleInfo);
    for (const id of closureOf(roots, getModuleInfo)) {
      if (!chunkOf.has(id) && limit?.has(id) !== false) chunkOf.set(id, name);
    }
  }
  for (const [name, paths] of Object.entries(smallModules)) {
    for (const path of paths) {
      if (getModuleInfo(local(path)) === null) throw new Error(`${path} is not in the bundle`);
      if (!chunkOf.has(local(path))) chunkOf.set(local(path), name);
    }
  }
  return chunkOf;
}

/** Splits the bundle; modules not covered here are split by their lazy imports. */
export function codeSplitting() {
  let chunkOf;
  const name = (id, context) => {
    chunkOf ??= assign((one) => context.getModuleInfo(one));
    const found = chunkOf.get(id);
    // The entry already has its chunk.
    return found === undefined || found === 'main' ? null : found;
  };
  return {
    includeDependenciesRecursively: false,
    groups: [{ name, debugName: 'loaded together' }],
  };
}
