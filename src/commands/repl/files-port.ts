import type { FilesPort } from '../../repl/session/ports.ts';
import {
  expandHome,
  folderCandidates,
  kindOf,
  writeNewFile,
} from '../../repl/system/user-files.ts';
import { attachFiles } from '../prompt/attach-files.ts';
import type { Context } from '../program/context.ts';

const isAddress = (typed: string) => /^https?:\/\//i.test(typed);

/** Brackets alone are parts of names, and a question mark ends a sentence. */
const isMentionedPattern = (typed: string) => /\*|\{.+,.+\}/.test(typed);

/** The files of the user, as typed in a conversation. */
export function createFilesPort(context: Context): FilesPort {
  const { homeDirectory, platform } = context;
  const resolve = (typed: string) => (isAddress(typed) ? typed : expandHome(typed, homeDirectory));
  let index: Promise<FilesPort['paths']> | undefined;
  return {
    async attach(typed, signal) {
      let summary: string | undefined;
      const keep = (text: string) => void (summary = text);
      const notices = { notice: keep, warning: keep };
      const files = await attachFiles([resolve(typed)], { signal, context, notices });
      if (summary !== undefined) return { files, summary };
      return { files: files.map((file) => ({ ...file, name: typed })) };
    },
    kindOf(typed) {
      if (isAddress(typed)) return 'page';
      return kindOf(resolve(typed)) ?? (isMentionedPattern(typed) ? 'pattern' : undefined);
    },
    async paths() {
      index ??= import('./path-index.ts').then((loaded) => loaded.createPathIndex(context.clock));
      return (await index)();
    },
    candidates: (folder) => folderCandidates(resolve(folder)),
    write: (typed, text) => writeNewFile(resolve(typed), text, platform),
    async writePrivate(typed, pieces, replaces) {
      const { writePrivateFile } = await import('../../repl/system/private-file.ts');
      return writePrivateFile(resolve(typed), pieces, { replaces, platform });
    },
  };
}
