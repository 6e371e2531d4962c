import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { withBranch } from '../conversations/position.ts';
import { attachedEntries } from '../conversations/sent-prompt.ts';
import { notice } from '../transcript/transcript.ts';
import type { Session } from '../session.ts';
import { unquoted, type SlashCommand } from '../slash-command.ts';
import type { NewPrompt, ReplState } from '../state.ts';
import { step, printNotice, startActivity, refuse } from '../step.ts';
import type { ReplFiles } from './user-files.ts';

/** A file that is attached again replaces the earlier one. */
export function withFile(files: readonly AttachedFile[], file: AttachedFile) {
  return [...files.filter(({ name }) => name !== file.name), file];
}

export const withAttached = (state: ReplState, file: AttachedFile): ReplState => ({
  ...state,
  attachments: withFile(state.attachments, file),
});

/** Discards a prompt that `/edit` or `/undo` restored, with its files; an undo stays. */
export function discardRestored(state: ReplState): ReplState {
  const { branch, attachments, restoredFiles } = state;
  if (branch === undefined) return state;
  const kept = attachments.filter((file) => !restoredFiles.includes(file));
  const next = { ...state, attachments: kept, restoredFiles: [] };
  return withBranch(next, branch.reason === 'edit' ? undefined : branch);
}

export async function attach(session: Session, path: string, signal: AbortSignal) {
  const { files, summary } = await session.files.attach(path, signal);
  session.update((state) => step(files.reduce(withAttached, state)));
  return [notice(summary ?? `${path} is attached to the next prompt`)];
}

export const attachCommand: SlashCommand = {
  name: 'attach',
  argument: '<path>',
  summary: 'attach a text file to the next prompt',
  example: '/attach notes.md; /attach none removes it',
  completes: 'files',
  run(state, argument) {
    if (argument === 'none') {
      return printNotice({ ...state, attachments: [] }, 'no files are attached');
    }
    if (argument !== '') return startActivity(state, 'reading a file', attach, unquoted(argument));
    const names = state.attachments.map(({ name }) => name);
    return names.length === 0
      ? refuse(state, '/attach needs a file', '/attach notes.md, or @notes.md in a prompt')
      : printNotice(state, `attached: ${names.join(', ')}; /attach none removes them`);
  },
};

const mentionPattern = /(?:^|\s)@(?:"([^"\n]+)"|([^\s"]+))/g;

/** The paths of `@path` and `@"path with spaces"`, in order, each once. */
export function mentionsOf(text: string): readonly string[] {
  const found = [...text.matchAll(mentionPattern)];
  return [...new Set(found.map(([, quoted, plain]) => quoted ?? plain ?? ''))];
}

/** The mentioned path without trailing punctuation, unless a file or folder has exactly that name. */
function pathOf(files: ReplFiles, mention: string): string {
  const kind = files.kindOf(mention);
  if (kind === 'file' || kind === 'folder') return mention;
  // An address may contain parentheses.
  const mayEnd = /^https?:.*\(/i.test(mention);
  return mention.replace(mayEnd ? /[.,;:!?\]}]+$/ : /[.,;:!?)\]}]+$/, '');
}

/** Extensions of files that people mention; other words after a dot are parts of names, such as `@app.route`. */
const fileName =
  /\.(?:astro|bash|c|cc|cfg|conf|cpp|cs|css|csv|cxx|dart|diff|docx?|env|erl|exs?|fish|gif|go|gradle|graphql|h|hpp|hs|html?|ini|ipynb|java|jpe?g|jsx?|json[lc5]?|kts?|less|lock|log|lua|md|mdx|[cm][jt]s|ml|nix|org|patch|pdf|php|pl|png|proto|ps1|py|r|rb|rs|rst|sass|scala|scss|sh|sql|svelte|svg|swift|tex|tf|toml|tsv|tsx?|txt|vue|webp|xlsx?|xml|ya?ml|zig|zsh)$/i;

const isFolderMention = (path: string) => /[^/\\][/\\]$/.test(path);

/** Whether a path that names nothing may be a mistake: `./a`, `a/`, a name with an extension, or a path in a known folder. */
function looksLikePath(files: ReplFiles, path: string): boolean {
  if (/^(?:~|\.{1,2})[/\\]./.test(path) || /^[a-z]:[/\\]/i.test(path)) return true;
  if (isFolderMention(path) || fileName.test(path) || /\s/.test(path)) return true;
  const folder = /^[/\\]?[^/\\]+(?=[/\\])/.exec(path)?.[0];
  return folder !== undefined && files.kindOf(folder) === 'folder';
}

/** `@notse.md is not a file (did you mean @notes.md?)`. */
function missing(files: ReplFiles, path: string): string {
  const [folder = ''] = /^.*[/\\](?=.)/.exec(path) ?? [];
  const names = files.candidates(folder).map(({ value }) => value);
  const near = nearlyNamed(path.slice(folder.length), names);
  const kind = isFolderMention(path) ? 'folder' : 'file';
  return `@${path} is not a ${kind}${near === undefined ? '' : ` (did you mean @${folder}${near}?)`}`;
}

/** What a mention attaches; the summary counts the files of a folder or a pattern. A problem needs confirmation. */
type Mentioned = Partial<Awaited<ReturnType<ReplFiles['attach']>>> & { readonly problem?: string };

const hostOf = (path: string) => /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i.exec(path)?.[1];

/** Reads the file, folder, pattern or page of a mention; neither files nor a problem for a mention that is a word. */
async function readMention(session: Session, path: string, signal: AbortSignal) {
  const { files } = session;
  const showHost = (host?: string) => session.update((state) => step({ ...state, host }));
  try {
    const kind = files.kindOf(path);
    const isFolder = kind === 'folder' && !isFolderMention(path);
    if (kind !== undefined && !isFolder) {
      showHost(hostOf(path));
      return await files.attach(path, signal);
    }
    if (!looksLikePath(files, path)) return {};
    const folder = `@${path} is a folder; @${path}/ attaches its files`;
    return { problem: isFolder ? folder : missing(files, path) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { problem: error.message };
  } finally {
    showHost();
  }
}

/** Why a prompt is not sent before the user confirms it. The cause is what it has of secrets, if any. */
export class Unconfirmed extends Error {
  override readonly name = 'Unconfirmed';
}

/**
 * The files of a prompt as they may be sent, and entries that name them.
 * @throws Unconfirmed; Failure if a mentioned file cannot be read
 */
export async function checkFiles(session: Session, prompt: NewPrompt, signal: AbortSignal) {
  const attached = new Set(prompt.files.map(({ name }) => name));
  const paths = new Set(prompt.mentions.map((mention) => pathOf(session.files, mention)));
  const mentioned: Mentioned[] = [];
  for (const path of paths) {
    if (!attached.has(path)) mentioned.push(await readMention(session, path, signal));
  }
  const all = mentioned.flatMap((read) => read.files ?? []).reduce(withFile, prompt.files);
  const { files, problem: secrets } = session.service.inspect(all, prompt);
  // Confirmed: the mentions are text.
  const others = prompt.isConfirmed ? [] : mentioned.map(({ problem }) => problem);
  const problems = [...others, secrets].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Unconfirmed(problems.join('; '), { cause: secrets });
  const counted = mentioned.filter(({ summary }) => summary !== undefined);
  const names = new Set(counted.flatMap((read) => read.files ?? []).map(({ name }) => name));
  const named = files.filter(({ name }) => !names.has(name));
  const summaries = counted.map(({ summary = '' }) => notice(summary));
  return { files, entries: [...attachedEntries(named), ...summaries] };
}
