import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import type { AnswerOutcome } from '../action.ts';
import { notice, type Entry } from '../transcript/entry.ts';
import type { Session } from '../session.ts';
import type { PromptToSend } from '../state.ts';
import { step } from '../step.ts';
import { attachedEntries } from '../conversations/sent-prompt.ts';
import { withFile } from './attachments.ts';
import type { ReplFiles } from './user-files.ts';

type NewPrompt = PromptToSend & { readonly type: 'new' };

const mentionPattern = /(?:^|\s)@(?:"([^"\n]+)"|([^\s"]+))/g;

/** The paths of `@path` and `@"path with spaces"`, in order, each once. */
export function mentionsOf(text: string): readonly string[] {
  const paths = Array.from(
    text.matchAll(mentionPattern),
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  return [...new Set(paths)];
}

/** What a prompt mentions. */
interface MentionedFiles {
  readonly files: readonly AttachedFile[];
  /** One for each folder and pattern: the number of its files, and what was left out. */
  readonly summaries: readonly string[];
  /** Names of the files that a summary counts. */
  readonly counted: ReadonlySet<string>;
  /** Why the prompt needs confirmation. */
  readonly problems: readonly string[];
}

/** Belongs to the sentence, not to the mention before it. */
const punctuation = /[.,;:!?)\]}]+$/;

/** An address may contain parentheses. */
const addressPunctuation = /[.,;:!?\]}]+$/;

function withoutPunctuation(mention: string): string {
  const isAddress = /^https?:.*\(/i.test(mention);
  return mention.replace(isAddress ? addressPunctuation : punctuation, '');
}

/** The mentioned path without trailing punctuation, unless a file or folder has exactly that name. */
function pathOf(files: ReplFiles, mention: string): string {
  const kind = files.kindOf(mention);
  return kind === 'file' || kind === 'folder' ? mention : withoutPunctuation(mention);
}

/** Mentioned paths that are not attached yet. */
function pathsOf(files: ReplFiles, { mentions, files: attached }: NewPrompt): readonly string[] {
  const names = new Set(attached.map(({ name }) => name));
  const paths = new Set(mentions.map((mention) => pathOf(files, mention)));
  return [...paths].filter((path) => !names.has(path));
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

/** `@notse.md is not a file; did you mean @notes.md`. */
function missing(files: ReplFiles, path: string): string {
  const [folder = ''] = /^.*[/\\](?=.)/.exec(path) ?? [];
  const names = files.candidates(folder).map(({ value }) => value);
  const near = nearlyNamed(path.slice(folder.length), names);
  const kind = isFolderMention(path) ? 'folder' : 'file';
  return `@${path} is not a ${kind}${near === undefined ? '' : `; did you mean @${folder}${near}`}`;
}

type Reading = { -readonly [Key in keyof MentionedFiles]: MentionedFiles[Key] };

async function readGroup(
  files: ReplFiles,
  path: string,
  { isConfirmed }: NewPrompt,
  read: Reading,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { files: found, summary } = await files.attach(path, signal);
    read.files = [...read.files, ...found];
    if (summary === undefined) return;
    read.summaries = [...read.summaries, summary];
    read.counted = new Set([...read.counted, ...found.map(({ name }) => name)]);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    // Confirmed: the mention is text.
    if (!isConfirmed) read.problems = [...read.problems, error.message];
  }
}

async function readPath(
  files: ReplFiles,
  path: string,
  prompt: NewPrompt,
  read: Reading,
  signal: AbortSignal,
): Promise<void> {
  const kind = files.kindOf(path);
  if (
    kind === 'file' ||
    kind === 'page' ||
    kind === 'pattern' ||
    (kind === 'folder' && isFolderMention(path))
  ) {
    await readGroup(files, path, prompt, read, signal);
  } else if (!prompt.isConfirmed && looksLikePath(files, path)) {
    const problem =
      kind === 'folder'
        ? `@${path} is a folder; @${path}/ attaches its files`
        : missing(files, path);
    read.problems = [...read.problems, problem];
  }
}

const hostOf = (path: string) => /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i.exec(path)?.[1];

/** The files, folders, patterns and pages that a prompt mentions. @throws Failure */
async function readMentioned(
  session: Session,
  prompt: NewPrompt,
  signal: AbortSignal,
): Promise<MentionedFiles> {
  const showHost = (host: string | undefined) =>
    session.update((state) => step({ ...state, host }));
  const attach: ReplFiles['attach'] = (path, ...options) => {
    showHost(hostOf(path));
    return session.files.attach(path, ...options);
  };
  const files = { ...session.files, attach };
  const read: Reading = { files: [], summaries: [], counted: new Set(), problems: [] };
  try {
    for (const path of pathsOf(files, prompt)) await readPath(files, path, prompt, read, signal);
  } finally {
    showHost(undefined);
  }
  return read;
}

export type Unconfirmed = Extract<AnswerOutcome, { readonly type: 'unconfirmed' }>;

export interface CheckedFiles {
  readonly type: 'files';
  readonly files: readonly AttachedFile[];
  /** Name the files in the transcript. */
  readonly entries: readonly Entry[];
}

/**
 * The files of a prompt as they may be sent, or why it needs confirmation first.
 * @throws Failure if a mentioned file cannot be read
 */
export async function checkFiles(
  session: Session,
  prompt: PromptToSend,
  signal: AbortSignal,
): Promise<Unconfirmed | CheckedFiles> {
  if (prompt.type !== 'new') return { type: 'files', files: [], entries: [] };
  const mentioned = await readMentioned(session, prompt, signal);
  const all = mentioned.files.reduce(withFile, prompt.files);
  const { files: checked, problem: secrets } = session.guard.inspect(all, prompt);
  const problem = [...mentioned.problems, secrets].filter((text) => text !== undefined).join('; ');
  if (problem !== '') return { type: 'unconfirmed', problem, hasSecrets: secrets !== undefined };
  const named = checked.filter(({ name }) => !mentioned.counted.has(name));
  const entries = [...attachedEntries(named), ...mentioned.summaries.map(notice)];
  return { type: 'files', files: checked, entries };
}
