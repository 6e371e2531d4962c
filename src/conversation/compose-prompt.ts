export interface AttachedFile {
  /** The prompt as typed. */
  readonly name: string;
  readonly content: string;
}

/** Replaced by the text of standard input. */
export const inputPlaceholder = '{{stdin}}';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  '<': '&lt;',
  '>': '&gt;',
};

/** Writes text for HTML or an attribute in double quotes. */
export const escapeMarkup = (text: string) =>
  text.replaceAll(/[&"<>]/g, (character) => escapes[character] ?? '');

export function hasInputPlaceholder(text: string | undefined): text is string {
  return text?.includes(inputPlaceholder) === true;
}

/** Replaces each placeholder; undefined if there is none. */
export function insertInput(text: string | undefined, input: string): string | undefined {
  return hasInputPlaceholder(text) ? text.split(inputPlaceholder).join(input) : undefined;
}

/** The first of `file`, `file-1`, `file-2`, … that is not a tag in the content, so the content cannot end its block. */
function tagFor(content: string): string {
  const closed = new Set(
    Array.from(content.matchAll(/<[\s/]*(file(?:-\d+)?)(?![\w-])/gi), ([, tag = '']) =>
      tag.toLowerCase(),
    ),
  );
  let tag = 'file';
  for (let number = 1; closed.has(tag); number += 1) tag = `file-${number}`;
  return tag;
}

/**
 * Joins a prompt, each file in a `<file name="…">` block (`<file-1 name="…">` if the content has a `file` tag), and
 * standard input, separated by blank lines. If the prompt has `{{stdin}}`, standard input replaces it instead. Nothing
 * is trimmed or cut.
 */
export function composePrompt(sources: {
  readonly prompt?: string | undefined;
  readonly files: readonly AttachedFile[];
  /** The text of standard input; undefined if it was not read. */
  readonly input?: string | undefined;
}): string {
  const { prompt, files, input } = sources;
  const placed = input === undefined ? undefined : insertInput(prompt, input);
  const blocks = files.map(({ name, content }) => {
    const tag = tagFor(content);
    const end = content.endsWith('\n') || content === '' ? '' : '\n';
    return `<${tag} name="${escapeMarkup(name)}">\n${content}${end}</${tag}>`;
  });
  const parts = [placed ?? prompt, ...blocks];
  if (placed === undefined) parts.push(input);
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

const firstBlock = /(?:^|\n\n)<file(?:-\d+)? name="(?:[^"&<>\n]|&(?:amp|quot|lt|gt);)*">\n/;
const block = /(?:^|\n\n)<(file(?:-\d+)?) name="([^"<>\n]*)">\n((?:[^]*?\n)?)<\/\1>(?=\n\n|$)/gy;

const characters = new Map(
  Object.entries(escapes).map(([character, escape]) => [escape, character]),
);

const fileName = (attribute: string) =>
  attribute.replaceAll(/&\w+;/g, (escape) => characters.get(escape) ?? escape);

/** The inverse of {@link composePrompt}, except that standard input stays part of the prompt. */
export function splitPrompt(content: string) {
  const isFileLast = /\n<\/file(?:-\d+)?>$/.test(content);
  const start = isFileLast ? content.search(firstBlock) : -1;
  const prompt = content.slice(0, Math.max(0, start));
  const blocks = start < 0 ? [] : content.slice(start).matchAll(block);
  const files = Array.from(blocks, ([, , attribute = '', text = '']): AttachedFile => {
    return { name: fileName(attribute), content: text };
  });
  const isSame = composePrompt({ prompt, files }) === content;
  return isSame ? { prompt, files } : { prompt: content, files: [] };
}
