import { resolve } from 'node:path';

const local = (path) => resolve(import.meta.dirname, '../..', path);

const program = ['src/commands/program/program.ts'];
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
const prompt = ['src/commands/chat/start.ts', 'src/commands/chat/run.ts', 'src/client/service.ts'];

/**
 * Modules that are loaded together form a chunk, because a separate file for every module that two commands share costs
 * each prompt a third of a millisecond per file. A chunk contains its roots and their static imports (with `within`,
 * only those that the `within` roots import too), except modules of earlier chunks.
 */
const chunks = [
  { name: 'main', roots: ['src/main.ts'] },
  { name: 'shared', roots: [...program, ...completion], within: prompt },
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
  { name: 'chat', roots: prompt },
  {
    name: 'answer',
    roots: [
      'src/client/create-client.ts',
      'src/client/http/node/node-network.ts',
      'src/commands/service/masked-client.ts',
      'src/secrecy/mask.ts',
      'src/conversation/journal/record-answer.ts',
      'src/conversation/journal/open-journal.ts',
    ],
  },
  { name: 'usage-meter', roots: ['src/commands/service/usage-meter.ts'] },
  { name: 'report', roots: ['src/commands/program/report.ts'] },
  { name: 'colors', roots: ['src/terminal/chalk-style.ts'] },
  // Of conversations, and of `natter prompts edit`.
  { name: 'editor', roots: ['src/repl/system/external-editor.ts'] },
  // Of conversations, and of `natter config keys`.
  { name: 'keys', roots: ['src/repl/editing/keys/key-map.ts'] },
  // Also of `--dry-run`, which does not load the client.
  { name: 'table', roots: ['src/output/table.ts'] },
  { name: 'common', roots: repl, within: relatives },
  { name: 'store', roots: repl, within: ['src/commands/config/run.ts'] },
  { name: 'repl', roots: repl },
  { name: 'region', roots: screen, within: relatives },
  { name: 'session', roots: screen, within: ['src/repl/line-mode/run-line-mode.ts'] },
  { name: 'screen', roots: screen },
  // The reader of Markdown for screen readers uses a part of it.
  { name: 'marked', roots: ['node_modules/marked/lib/marked.esm.js'] },
  { name: 'markdown', roots: ['src/terminal/markdown/markdown-stream.ts'] },
];

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
