import { readdirSync, readFileSync } from 'node:fs';

/** A fenced code block of a guide. */
export interface GuideBlock {
  readonly guide: string;
  /** Of its fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** From ```` ```sh not run: reason ````. */
  readonly notRun?: string;
  /** From ```` ```json tested by: path ````. */
  readonly testedBy?: string;
  /** The text of the `text` block that follows a block of commands: what they print. */
  readonly output?: string;
}

const fence =
  /^```(?<language>\S*)(?: (?<marker>not run|tested by): (?<value>.+))?\n(?<text>[^]*?)^```$/gm;

/** Each line is a command, except in a block with an output: that is one script, like every `bash` block. */
const isOfCommands = (language: string) => language === 'sh' || language === 'bash';

/** The code blocks of a Markdown text; an output belongs to the block before it. */
export function blocksOf(guide: string, markdown: string): readonly GuideBlock[] {
  const blocks: GuideBlock[] = [];
  let lastEnd = 0;
  for (const match of markdown.matchAll(fence)) {
    const { marker, value = '', language = '', text = '' } = match.groups ?? {};
    const last = blocks.at(-1);
    const follows = markdown.slice(lastEnd, match.index).trim() === '';
    lastEnd = match.index + match[0].length;
    if (last !== undefined && follows && isOfCommands(last.language) && language === 'text') {
      blocks[blocks.length - 1] = { ...last, output: text };
      continue;
    }
    blocks.push({
      guide,
      line: markdown.slice(0, match.index).split('\n').length,
      language,
      text,
      ...(marker === 'not run' && { notRun: value }),
      ...(marker === 'tested by' && { testedBy: value }),
    });
  }
  return blocks;
}

/** The block of a guide that starts with this text. @throws Error without one */
export function codeBlock(guide: string, start: string): string {
  const blocks = blocksOf(guide, readFileSync(guide, 'utf8'));
  const block = blocks.find(({ text }) => text.startsWith(start));
  if (block === undefined) throw new Error(`${guide} has no block that starts with ${start}`);
  return block.text;
}

/** Written from the program, and checked against it by test/docs/reference.test.ts. */
const generated = 'reference.md';

/** The code blocks of all guides. */
export function guideBlocks(): readonly GuideBlock[] {
  const names = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== generated);
  return names.flatMap((name) => blocksOf(name, readFileSync(`docs/${name}`, 'utf8')));
}

const isUnmarked = (block: GuideBlock) =>
  block.notRun === undefined && block.testedBy === undefined;

/** `npm run test:engines` uses a queue; test/commands/batch/queue/queue.test.ts parses the examples. */
export const needsQueue = (line: string) => line.includes('--queue ');

/** The commands of a Markdown text that run one by one: the lines of its `sh` blocks without an output. */
export function shellLines(markdown: string): readonly string[] {
  return blocksOf('', markdown)
    .filter((block) => isUnmarked(block) && block.language === 'sh' && block.output === undefined)
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line !== '' && !line.startsWith('#') && !needsQueue(line));
}

/** Whether the block runs as a whole. */
export function isScript(block: GuideBlock): boolean {
  const { language, output } = block;
  return isUnmarked(block) && (language === 'bash' || (language === 'sh' && output !== undefined));
}

/** The exit code in a comment at the end of a command or script, else 0. */
export function expectedCode(text: string): number {
  return Number(/# exit code (?<code>\d+)\n?$/.exec(text)?.groups?.['code'] ?? 0);
}
