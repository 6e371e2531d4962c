import { Failure } from '../../src/failure.ts';
import type { ReplFiles } from '../../src/repl/files/user-files.ts';

/** Files by their names: `missing…` cannot be read, `typo…` does not exist, `old…` exists. */
export const memoryFiles = (calls: string[]): ReplFiles => ({
  async attach(path) {
    if (path.includes('missing')) throw new Failure('usage', `cannot attach ${path}`);
    const names = path.endsWith('/') ? [`${path}a.md`, `${path}b.md`] : [path];
    const files = names.map((name) => ({ name, content: `content of ${name}` }));
    return names.length === 1 ? { files } : { files, summary: `attached ${path}: 2 files` };
  },
  kindOf(path) {
    if (/typo|heer/.test(path)) return undefined;
    if (path.startsWith('https:')) return 'page';
    if (path.includes('*')) return 'pattern';
    if (/^(?:docs|docs\/sub|\/|.+\/)$/.test(path)) return 'folder';
    return path.endsWith('.md') ? 'file' : undefined;
  },
  paths: async () => ({
    paths: ['notes.md', 'src/notes.ts'].map((path) => ({ path, isFolder: false })),
    isPartial: false,
  }),
  candidates: (folder) => [{ value: `in-${folder || 'here'}.md` }],
  write(path, text) {
    calls.push(`write ${path}: ${text}`);
    return `/home/${path}`;
  },
  writePrivate(path, pieces, replaces) {
    if (path.startsWith('old') && !replaces) return undefined;
    const text = [...pieces].join('');
    calls.push(`write privately ${path}`);
    return { path: `/home/${path}`, bytes: text.length };
  },
});
