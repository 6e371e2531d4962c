/** A file that goes along with a prompt. */
export interface AttachedFile {
  /** As the person named it. */
  readonly name: string;
  readonly content: string;
}

export interface PromptParts {
  readonly prompt?: string | undefined;
  readonly files: readonly AttachedFile[];
  /** What standard input held; undefined when it was not read. */
  readonly input?: string | undefined;
}

/** Stands in a prompt for what standard input held. */
export const inputPlaceholder = '{{stdin}}';

const attributeEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  '<': '&lt;',
  '>': '&gt;',
};

function fileBlock({ name, content }: AttachedFile): string {
  const attribute = name.replaceAll(/[&"<>]/g, (character) => attributeEscapes[character] ?? '');
  const end = content.endsWith('\n') || content === '' ? '' : '\n';
  return `<file name="${attribute}">\n${content}${end}</file>`;
}

/**
 * The text of one user turn: the prompt, the files each in a `<file name="…">` block, then standard input, with a
 * blank line between them; or standard input in place of every `{{stdin}}`. Nothing is trimmed or cut.
 */
export function composePrompt({ prompt, files, input }: PromptParts): string {
  const placed = prompt !== undefined && input !== undefined && prompt.includes(inputPlaceholder);
  const parts = placed ? [prompt.split(inputPlaceholder).join(input)] : [prompt];
  parts.push(...files.map(fileBlock));
  if (!placed) parts.push(input);
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}
