import fs from 'node:fs';
import path from 'node:path';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { attachFiles } from '../../input/attach-files.ts';
import type { Context } from '../../run.ts';
import { listPaths, type PathList } from '../../input/find-files.ts';
import { Failure } from '../../failure.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { isReservedName } from '../../storage/file-name.ts';
import type { Candidate } from '../composer/completion.ts';
import { isFile, isFolder, removeFile, replaceContent } from '../../storage/files.ts';

const isAddress = (typed: string) => /^https?:\/\//i.test(typed);

/** Brackets alone are parts of names, and a question mark ends a sentence. */
const isMentionedPattern = (typed: string) => /\*|\{.+,.+\}/.test(typed);

/** The user's files. Paths are as typed: `~` is the home folder. Functions throw Failure. */
export function createReplFiles(context: Context) {
  const { homeDirectory, platform } = context;
  const resolve = (typed: string) => (isAddress(typed) ? typed : expandHome(typed, homeDirectory));
  let listed: Promise<PathList> | undefined;
  let listedAt = 0;
  return {
    /**
     * A file, or the text of a page, or the files of a folder or a pattern, with a summary: their number, and what was
     * left out.
     */
    async attach(
      typed: string,
      signal: AbortSignal,
    ): Promise<{ readonly files: readonly AttachedFile[]; readonly summary?: string | undefined }> {
      let summary: string | undefined;
      const keep = (text: string) => void (summary = text);
      const notices = { notice: keep, warning: keep };
      const files = await attachFiles([resolve(typed)], { signal, context, notices });
      if (summary !== undefined) return { files, summary };
      return { files: files.map((file) => ({ ...file, name: typed })) };
    },
    /** `page` is an `https:` address. Undefined if the path is nothing of these. */
    kindOf(typed: string): 'file' | 'folder' | 'pattern' | 'page' | undefined {
      if (isAddress(typed)) return 'page';
      return kindOf(resolve(typed)) ?? (isMentionedPattern(typed) ? 'pattern' : undefined);
    },
    /** The paths of the current folder, which are not listed again at each key. */
    paths(): Promise<PathList> {
      const now = context.clock.monotonic();
      if (listed === undefined || now - listedAt >= maxAge) {
        listed = listPaths('.', context.clock);
        listedAt = now;
      }
      return listed;
    },
    /** The names that completion offers; none if the folder cannot be read. */
    candidates(typed: string): readonly Candidate[] {
      const folder = resolve(typed) || '.';
      try {
        return fs
          .readdirSync(folder, { withFileTypes: true })
          .map((entry) => {
            const target = () => kindOf(path.join(folder, entry.name));
            const isLink = entry.isSymbolicLink();
            return {
              value: entry.name,
              isFolder: entry.isDirectory() || (isLink && target() === 'folder'),
            };
          })
          .sort((one, other) => one.value.localeCompare(other.value));
      } catch {
        // A missing folder has no completions.
        return [];
      }
    },
    /**
     * Writes a file, for its owner only if it is private. A file that exists is replaced as a whole, or not at all.
     * @returns its full path; undefined if the file exists and may not be replaced
     * @throws Failure `storage`
     */
    write(
      typed: string,
      text: string,
      { isPrivate = false, replaces = false } = {},
    ): string | undefined {
      const name = resolve(typed);
      const hint = 'choose another name';
      if (isReservedName(name, platform)) {
        const reason = 'Windows reserves this name for a device';
        throw new Failure('storage', `cannot write ${name}: ${reason}`, { hint });
      }
      const full = path.resolve(name);
      const temporary = path.join(path.dirname(full), `.${path.basename(full)}.natter`);
      const mode = isPrivate ? 0o600 : 0o666;
      try {
        if (replaces) replaceContent(full, text, mode, temporary);
        else fs.writeFileSync(full, text, { flag: 'wx', mode });
        return full;
      } catch (cause) {
        const code = errorCode(cause);
        if (code === 'EEXIST' && !replaces) return undefined;
        if (replaces) removeFile(temporary);
        const reason = code === 'ENOENT' ? 'its folder does not exist' : failureReason(cause);
        throw new Failure('storage', `cannot write ${name}: ${reason}`, { hint, cause });
      }
    },
  };
}

export type ReplFiles = ReturnType<typeof createReplFiles>;

/** Milliseconds after which the folder is listed again. */
const maxAge = 10_000;

/** Expands a leading `~`. */
export function expandHome(typed: string, home: string | undefined): string {
  return home !== undefined && /^~(?=$|[/\\])/.test(typed) ? home + typed.slice(1) : typed;
}

/** Undefined if the path is neither, or cannot be read. */
export function kindOf(name: string): 'file' | 'folder' | undefined {
  if (isFile(name)) return 'file';
  return isFolder(name) ? 'folder' : undefined;
}
