import { createLineCounter } from '../line-counter.ts';
import type { FrontMatter } from './front-matter-keys.ts';
import type { Place, SourceFile } from './place.ts';
import { failureAt, placeText } from './place.ts';
import type { PromptFile, PromptFormat, PromptSource } from './prompt-file.ts';
import { splitFrontMatter, type SplitFile } from '../front-matter.ts';
import { parseTemplate, placeholdersOf } from './template.ts';

/** The folders of command files of coding agents. */
const agentFolder =
  /[\\/]\.(?:claude|opencode|codex|cursor|agents?)[\\/](?:commands?|prompts)[\\/]/;

/** The format that the name of a file shows. */
function formatOf(path: string): PromptFormat {
  if (/\.ya?ml$/i.test(path)) return 'llm';
  if (/(?:^|[\\/])system\.md$/i.test(path)) return 'fabric';
  return agentFolder.test(path) ? 'agent' : 'markdown';
}

interface Front {
  readonly front: FrontMatter;
  readonly isOfAgent: boolean;
  /** Where the file names tools. */
  readonly tools: Place | undefined;
  readonly split: SplitFile;
}

/** Coding agents take `argument-hint: [issue] [priority]`, which is not YAML. */
function quoteHint(frontMatter: string): string {
  return frontMatter.replace(
    /^(?<key>argument-hint:[ \t]*)(?<hint>\[.*)$/m,
    (_, key: string, hint: string) => key + JSON.stringify(hint.trimEnd()),
  );
}

/** A first line of dashes with a key below it. */
const openFront = /^(?:#![^\n]*\n)?---[ \t]*\r?\n(?<key>[a-z-]+):/;

/** @throws Failure `usage` for front matter without its second line of dashes, which would be sent as text */
async function refuseOpenFront({ file, content }: PromptSource, line: number): Promise<void> {
  const key = openFront.exec(content)?.groups?.['key'];
  if (key === undefined) return;
  const { frontMatterKeys } = await import('./front-matter-keys.ts');
  if (!frontMatterKeys.has(key)) return;
  throw failureAt({ file, line }, 'the front matter has no end', {
    hint: 'write a line --- below it; a text may begin with a blank line before its ---',
  });
}

/** YAML is loaded only for a file with front matter. */
async function readFront(source: PromptSource): Promise<Front> {
  const { file, content } = source;
  const split = splitFrontMatter(content);
  const { frontMatter, frontMatterLine: line } = split;
  const none = { front: {}, isOfAgent: false, tools: undefined };
  if (frontMatter === undefined) {
    await refuseOpenFront(source, line);
    return { ...none, split };
  }
  const { readMapping } = await import('./yaml-mapping.ts');
  const entries = readMapping(quoteHint(frontMatter), file, line);
  if (entries === undefined) {
    // A text between two rules of Markdown.
    const body = content.slice(content.indexOf('---')).trimEnd();
    return { ...none, split: { ...split, body, bodyLine: line - 1 } };
  }
  const { agentKeys, readFrontMatter, toolKeys } = await import('./front-matter-keys.ts');
  const tools = entries.find(({ key }) => toolKeys.has(key));
  return {
    front: readFrontMatter(entries, file),
    isOfAgent: entries.some(({ key }) => agentKeys.has(key)),
    tools: tools && { file, line: tools.line },
    split,
  };
}

/** What looks like a variable with a default: `{{lang|ts}}`, `{{lang:ts}}`, `{{lang=ts}}`. */
const likeDefault =
  /(?<![\\$])\{\{[ \t]*(?!(?:file|include):)[A-Za-z_][\w-]*[ \t]*[|:=][^{}\n]*\}\}/;

/** @param line of the file in which the text begins */
function defaultNotice(text: string, line: number, file: SourceFile): readonly string[] {
  const found = likeDefault.exec(text);
  if (found === null) return [];
  const place = { file, line: createLineCounter(text, line)(found.index) };
  return [
    `${placeText(place)}: ${found[0]} is sent as text; a default is set under variables: in the front matter`,
  ];
}

/** Commands that a coding agent would run, and replace by their output. */
const agentCommand = /(?:^|\s)!`[^`\n]+`/;

/** A file that a coding agent would attach: `@src/main.ts`, `@$1`, `@$ARGUMENTS`. An address of e-mail is none. */
const agentMention = /(?<=^|[\s(])@(?:\$(?:ARGUMENTS|[1-9])|[\w~.-]*[/.][\w~./-]*\w)/;

function mentionNotice({ split }: Front, file: SourceFile): readonly string[] {
  const found = agentMention.exec(split.body);
  if (found === null) return [];
  const [text] = found;
  const line = createLineCounter(split.body, split.bodyLine)(found.index);
  const insert = text.startsWith('@$')
    ? '-f attaches a file'
    : `{{file:${text.slice(1)}}} inserts it`;
  return [`${placeText({ file, line })}: ${text} is sent as text; ${insert}`];
}

function agentNotices(
  { front, tools, split }: Front,
  file: PromptSource['file'],
): readonly string[] {
  const notices: string[] = [];
  const command = agentCommand.exec(split.body);
  const { model } = front;
  if (model !== undefined) {
    notices.push(`${placeText(model.place)}: the model is that of a coding agent and is ignored`);
  }
  if (command !== null) {
    const start = command.index + command[0].indexOf('!');
    const line = createLineCounter(split.body, split.bodyLine)(start);
    const text = command[0].trim();
    notices.push(`${placeText({ file, line })}: natter runs no commands: ${text} is sent as text`);
  } else if (tools !== undefined) {
    notices.push(`${placeText(tools)}: natter has no tools; the model gets only the text`);
  }
  return notices;
}

/**
 * Parses a prompt file. Includes are not resolved yet.
 * @param user the `user.md` beside the `system.md` of a fabric pattern
 * @throws Failure `usage` with the file and the line
 */
export async function parsePromptFile(
  source: PromptSource,
  user?: PromptSource,
): Promise<PromptFile> {
  const { file } = source;
  const named = formatOf(file.path);
  if (named === 'llm') {
    const { parseLlmTemplate } = await import('./llm-template.ts');
    return parseLlmTemplate(source);
  }
  const read = await readFront(source);
  const { system, model, ...others } = read.front;
  const format = named === 'markdown' && read.isOfAgent ? 'agent' : named;
  const { body, bodyLine: firstLine } = read.split;
  const takesInput = format === 'fabric';
  const parseWith =
    (takesArguments: boolean) =>
    (text: string, line: number, from = file) =>
      parseTemplate(text, { file: from, firstLine: line, takesArguments, takesInput });
  const texts = [body, system?.value ?? ''];
  const mentionsArguments = texts.some((text) => {
    return placeholdersOf(parseWith(false)(text, firstLine), 'arguments').length > 0;
  });
  const parse = parseWith(
    format === 'agent' || others.argumentHint !== undefined || mentionsArguments,
  );
  const front = { ...others, ...(format !== 'agent' && model !== undefined && { model }) };
  const notices =
    format === 'agent'
      ? [...agentNotices(read, file), ...mentionNotice(read, file)]
      : defaultNotice(body, firstLine, file);
  const text = parse(body, firstLine);
  // With a place for the input, a pattern is the whole prompt.
  const isWhole = placeholdersOf(text, 'stdin').length > 0;
  if (format === 'fabric' && system === undefined && !isWhole) {
    const prompt = user === undefined ? [] : parse(user.content.trim(), 1, user.file);
    return { file, format, front, system: text, prompt, notices };
  }
  const systemText = system && parse(system.value.trimEnd(), system.place.line);
  return { file, format, front, system: systemText, prompt: text, notices };
}
