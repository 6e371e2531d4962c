import { writeBlankLine, writeLine } from './block-output.ts';
import type { BlockState, Fence } from './block-state.ts';
import type { LineStart } from './containers.ts';
import { dedent } from './indentation.ts';

/** Writes a dim line with the block's number and language, `1 ts`; without colour, after the fence. */
export function openFence(state: BlockState, { rest, column }: LineStart): void {
  const mark = /^(?:`+|~+)/.exec(rest)?.[0] ?? '';
  const info = rest.slice(mark.length).trim();
  const language = info.split(/\s/, 1)[0] ?? '';
  const { output, options } = state;
  state.codeBlocks += 1;
  const title = `${state.codeBlocks} ${info}`.trimEnd();
  const { style } = output;
  writeLine(output, style.colored ? style.dim(title) : `${mark} ${title}`, 'code');
  const character = mark[0] === '~' ? '~' : '`';
  const closing = new RegExp(`^ {0,3}${character}{${mark.length},}[ \\t]*$`);
  const indent = column - containerColumns(state);
  state.leaf = { kind: 'fence', mark, language, closing, indent, highlight: undefined };
  state.loading = options.highlighter.load(language);
}

/** Indentation of the open containers, to which the fence's own is added. */
function containerColumns({ output }: BlockState): number {
  return output.containers.reduce(
    (columns, container) => columns + (container.kind === 'item' ? container.indent : 2),
    0,
  );
}

export function writeCodeLine(state: BlockState, fence: Fence, start: LineStart): void {
  fence.highlight ??= state.options.highlighter.open(fence.language);
  writeLine(state.output, fence.highlight(codeText(fence, start)), 'code');
}

export function codeText(fence: Fence, { rest, column }: LineStart): string {
  return dedent(rest, column, fence.indent);
}

export function closeFence({ output }: BlockState, fence: Fence): void {
  if (!output.style.colored) writeLine(output, fence.mark, 'code');
}

export function writeIndentedLine(state: BlockState, text: string): void {
  const { output, leaf } = state;
  const { colored } = output.style;
  if (leaf.kind === 'indented') {
    for (; leaf.blankLines > 0; leaf.blankLines -= 1) writeBlankLine(output);
  } else {
    state.codeBlocks += 1;
    if (colored) writeLine(output, output.style.dim(String(state.codeBlocks)), 'code');
    state.leaf = { kind: 'indented', blankLines: 0 };
  }
  writeLine(output, colored ? text : `    ${text}`, 'code');
}
