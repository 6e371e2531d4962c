import { Failure } from '../../failure.ts';
import { listEntries, type LibraryEntry, type LibrarySection } from './library.ts';
import { summarize } from './read-conversation.ts';

/** The conversation that changed last; cannot be an id, because ids have no vowels. */
const latestName = 'latest';

/** Ids in a hint. */
const maxCandidates = 5;

function ambiguous(name: string, candidates: readonly string[]): Failure {
  const shown = candidates.slice(0, maxCandidates).join(', ');
  const more = candidates.length > maxCandidates ? ', …' : '';
  return new Failure('usage', `"${name}" matches ${candidates.length} conversations`, {
    hint: `type more of the id: ${shown}${more}`,
  });
}

function unknown(name: string, section: LibrarySection): Failure {
  const isInTrash = section === 'trash';
  const where = isInTrash ? ' in the trash' : '';
  return new Failure('not_found', `there is no conversation "${name}"${where}`, {
    remedy: { code: 'list-conversations', name, isInTrash },
  });
}

function noneYet(section: LibrarySection): Failure {
  if (section === 'trash') return new Failure('not_found', 'the trash is empty');
  return new Failure('not_found', 'there is no conversation yet', {
    hint: 'natter "why is the sky blue?" starts one',
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
 * `name`: `latest`, an id or its start, or a title or its start, ignoring case.
 * @returns at least one entry
 * @throws Failure `not_found`
 */
export function conversationsNamed(
  dataFolder: string,
  name: string,
  section: LibrarySection = 'conversations',
): readonly [LibraryEntry, ...LibraryEntry[]] {
  const entries = listEntries(dataFolder, section);
  if (name === latestName) {
    const [newest] = entries;
    if (newest !== undefined) return [newest];
    throw noneYet(section);
  }
  if (name.trim() === '') throw unknown(name, section);
  const byId = entries.filter(({ id }) => id.startsWith(name));
  const [first, ...others] = byId.length > 0 ? byId : findByTitle(entries, name);
  if (first === undefined) throw unknown(name, section);
  return [first, ...others];
}

/**
 * The only conversation of that name; see `conversationsNamed`.
 * @throws Failure `not_found`; `usage` if several match
 */
export function findConversation(
  dataFolder: string,
  name: string,
  section: LibrarySection = 'conversations',
): LibraryEntry {
  const found = conversationsNamed(dataFolder, name, section);
  if (found.length === 1) return found[0];
  throw ambiguous(
    name,
    found.map(({ id }) => id),
  );
}
