import { resolve } from 'node:path';

const local = (path) => resolve(import.meta.dirname, '../..', path);

/**
 * Chunks of what is loaded together, in the order they are loaded: a file of its own for every module that two
 * commands share costs a prompt a third of a millisecond each. A chunk holds its roots, all they import
 * statically, and nothing of the chunks before it.
 */
const chunks = [
  { name: 'main', roots: ['src/main.ts'] },
  { name: 'program', roots: ['src/commands/program.ts'] },
  { name: 'chat', roots: ['src/commands/chat-run.ts', 'src/client/service.ts'] },
  {
    name: 'answer',
    roots: [
      'src/client/create-client.ts',
      'src/commands/journal-answer.ts',
      'src/conversation/open-journal.ts',
    ],
  },
];

function addClosure(id, getModuleInfo, closure) {
  if (closure.has(id)) return;
  closure.add(id);
  for (const imported of getModuleInfo(id)?.importedIds ?? []) {
    addClosure(imported, getModuleInfo, closure);
  }
}

function assign(getModuleInfo) {
  const chunkOf = new Map();
  for (const { name, roots } of chunks) {
    const closure = new Set(chunkOf.keys());
    for (const root of roots) addClosure(local(root), getModuleInfo, closure);
    for (const id of closure) if (!chunkOf.has(id)) chunkOf.set(id, name);
  }
  return chunkOf;
}

/** Splits the bundle; everything not named here gets the chunks that lazy imports give it. */
export function codeSplitting() {
  let chunkOf;
  const name = (id, context) => {
    chunkOf ??= assign((one) => context.getModuleInfo(one));
    const found = chunkOf.get(id);
    // The entry is a chunk of its own already.
    return found === undefined || found === 'main' ? null : found;
  };
  return { includeDependenciesRecursively: false, groups: [{ name }] };
}
