import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, folderOf, writeFiles } from './folder.ts';
import { runInMemory } from './in-memory.ts';
import type { RunOptions } from './natter.ts';
import type { RequestBody } from './raw-server.ts';

interface DryRun {
  readonly request: { readonly body: RequestBody };
  readonly settings: readonly { readonly name: string; readonly source: string }[];
}

/** A repository with these files, and an empty home folder. */
export function createPromptProject(files: Files = {}) {
  const place = realpathSync(folderOf());
  const [folder, home] = [join(place, 'project'), join(place, 'home')];
  mkdirSync(home);
  writeFiles(folder, files);
  execFileSync('git', ['init', '--quiet', folder]);
  const run = (words: readonly string[], options: RunOptions = {}) =>
    runInMemory(words, { cwd: folder, ...options, env: { HOME: home, ...options.env } });
  /** The document of `--dry-run` in the sandbox. */
  const dryRun = async (words: readonly string[], options?: RunOptions) => {
    const { code, stdout, stderr } = await run([...words, '--dry-run', '--sandbox'], options);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as DryRun;
  };
  return {
    folder,
    config: join(home, '.config/natter'),
    write: (more: Files) => writeFiles(folder, more),
    run,
    dryRun,
    /** The prompt that `natter run` would send. */
    prompt: async (words: readonly string[], options?: RunOptions) => {
      const { messages } = (await dryRun(['run', ...words], options)).request.body;
      return messages.at(-1)?.content ?? '';
    },
  };
}
