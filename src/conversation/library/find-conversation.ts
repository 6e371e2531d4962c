import { Failure } from '../../failure.ts';
import { listEntries, type LibraryEntry, type Shelf } from './library.ts';
import { summarize } from './summary.ts';

/** Stands for the conversation that changed last; never an id, which has no vowels. */
const latestName = 'latest';

/** Lines of a hint; more would hide what the hint says. */
const mostCandidates = 5;

function ambiguous(name: string, candidates: readonly string[]): Failure {
  const shown = candidates.slice(0, mostCandidates).join(', ');
  const more = candidates.length > mostCandidates ? ', …' : '';
  return new Failure('usage', `"${name}" fits ${candidates.length} conversations`, {
    hint: `name one of ${shown}${more} by more of its id`,
  });
}

function unknown(name: string, shelf: Shelf): Failure {
  const isInTrash = shelf === 'trash';
  const where = isInTrash ? ' in the trash' : '';
  return new Failure('not_found', `there is no conversation "${name}"${where}`, {
    remedy: { code: 'list-conversations', isInTrash },
  });
}

function noneYet(shelf: Shelf): Failure {
  if (shelf === 'trash') return new Failure('not_found', 'the trash is empty');
  return new Failure('not_found', 'there is no conversation yet', {
    hint: 'natter "why is the sky blue?" begins one',
  });
}

function findByTitle(entries: readonly LibraryEntry[], name: string): readonly LibraryEntry[] {
  const wanted = name.trim().toLowerCase();
  const titled = entries.map((entry) => ({
    entry,
    title: summarize(entry.path).title.toLowerCase(),
  }));
  const exact = titled.filter(({ title }) => title === wanted);
  const found = exact.length > 0 ? exact : titled.filter(({ title }) => title.startsWith(wanted));
  return found.map(({ entry }) => entry);
}

/**
 * The conversation a person means: `latest`, an id or its beginning, a title or its beginning (case is ignored).
 * @throws Failure `not_found`; `usage` when several fit
 */
export function findConversation(
  dataFolder: string,
  name: string,
  shelf: Shelf = 'conversations',
): LibraryEntry {
  const entries = listEntries(dataFolder, shelf);
  if (name === latestName) {
    const [newest] = entries;
    if (newest !== undefined) return newest;
    throw noneYet(shelf);
  }
  if (name.trim() === '') throw unknown(name, shelf);
  const byId = entries.filter(({ id }) => id.startsWith(name));
  const found = byId.length > 0 ? byId : findByTitle(entries, name);
  const [only] = found;
  if (only === undefined) throw unknown(name, shelf);
  if (found.length > 1) {
    throw ambiguous(
      name,
      found.map(({ id }) => id),
    );
  }
  return only;
}
