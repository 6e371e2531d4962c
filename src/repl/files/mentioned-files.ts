import type { NewPrompt } from '../state.ts';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { notice } from '../transcript/transcript.ts';
import type { Session } from '../session.ts';
import { step } from '../step.ts';
import { attachedEntries } from '../conversations/sent-prompt.ts';
import { withFile } from './attachments.ts';
import type { ReplFiles } from './user-files.ts';

const mentionPattern = /(?:^|\s)@(?:"([^"\n]+)"|([^\s"]+))/g;

/** The paths of `@path` and `@"path with spaces"`, in order, each once. */
export function mentionsOf(text: string): readonly string[] {
  const paths = Array.from(
    text.matchAll(mentionPattern),
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  return [...new Set(paths)];
}

/** Belongs to the sentence, not to the mention before it. */
const punctuation = /[.,;:!?)\]}]+$/;

/** An address may contain parentheses. */
const addressPunctuation = /[.,;:!?\]}]+$/;

/** The mentioned path without trailing punctuation, unless a file or folder has exactly that name. */
function pathOf(files: ReplFiles, mention: string): string {
  const kind = files.kindOf(mention);
  if (kind === 'file' || kind === 'folder') return mention;
  const isAddress = /^https?:.*\(/i.test(mention);
  return mention.replace(isAddress ? addressPunctuation : punctuation, '');
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

const hostOf = (path: string) => /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i.exec(path)?.[1];

/**
 * The files, folders, patterns and pages that a prompt mentions. There is a summary for each folder and pattern, which
 * counts its files, and a problem for each mention that needs confirmation. @throws Failure
 */
async function readMentioned(session: Session, prompt: NewPrompt, signal: AbortSignal) {
  const read = {
    files: [] as AttachedFile[],
    summaries: [] as string[],
    counted: new Set<string>(),
    problems: [] as string[],
  };
  const { files } = session;
  const showHost = (host: string | undefined) =>
    session.update((state) => step({ ...state, host }));
  try {
    const attached = new Set(prompt.files.map(({ name }) => name));
    for (const path of new Set(prompt.mentions.map((mention) => pathOf(files, mention)))) {
      if (attached.has(path)) continue;
      try {
        showHost(hostOf(path));
        const kind = files.kindOf(path);
        const isFolder = kind === 'folder' && !isFolderMention(path);
        if (kind !== undefined && !isFolder) {
          const { files: found, summary } = await files.attach(path, signal);
          read.files.push(...found);
          if (summary === undefined) continue;
          read.summaries.push(summary);
          for (const { name } of found) read.counted.add(name);
        } else if (looksLikePath(files, path)) {
          const folder = `@${path} is a folder; @${path}/ attaches its files`;
          read.problems.push(isFolder ? folder : missing(files, path));
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Failure)) throw error;
        read.problems.push(error.message);
      }
    }
  } finally {
    showHost(undefined);
  }
  // Confirmed: the mentions are text.
  return prompt.isConfirmed ? { ...read, problems: [] } : read;
}

/** Why a prompt is not sent before the user confirms it. */
export class Unconfirmed extends Error {
  override readonly name = 'Unconfirmed';
  readonly hasSecrets: boolean;

  constructor(problem: string, hasSecrets: boolean) {
    super(problem);
    this.hasSecrets = hasSecrets;
  }
}

/**
 * The files of a prompt as they may be sent, and entries that name them.
 * @throws Unconfirmed; Failure if a mentioned file cannot be read
 */
export async function checkFiles(session: Session, prompt: NewPrompt, signal: AbortSignal) {
  const mentioned = await readMentioned(session, prompt, signal);
  const all = mentioned.files.reduce(withFile, prompt.files);
  const { files, problem: secrets } = session.guard.inspect(all, prompt);
  const problems = [...mentioned.problems, ...(secrets === undefined ? [] : [secrets])];
  if (problems.length > 0) throw new Unconfirmed(problems.join('; '), secrets !== undefined);
  const named = files.filter(({ name }) => !mentioned.counted.has(name));
  return { files, entries: [...attachedEntries(named), ...mentioned.summaries.map(notice)] };
}
