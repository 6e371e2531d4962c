import { displayWidth } from '../text/width.ts';
import {
  type BlockOutput,
  markers,
  rulePaint,
  ruleText,
  writeBlankLine,
  writeLine,
} from './block-output.ts';
import type { BlockState, Fence } from './block-state.ts';
import type { LineStart } from './containers.ts';
import { readFence } from './fence.ts';
import { dedent } from './indentation.ts';

/** Writes a rule with the block's number and language; without colour, both after the fence. */
export function openFence(state: BlockState, start: LineStart): void {
  const { output, options } = state;
  const { mark, info, indent } = readFence(start, output.containers);
  const language = info.split(/\s/, 1)[0] ?? '';
  state.codeBlocks += 1;
  if (output.style.colored) writeHead(state, info);
  else writeLine(output, `${mark} ${state.codeBlocks} ${info}`.trimEnd(), 'code');
  state.leaf = { kind: 'fence', mark, language, indent, highlight: undefined };
  state.loading = options.highlighter.load(language)?.then(() => {
    state.loading = undefined;
  });
}

/** The shortest rule between the title and the hint, in columns. */
const MIN_RULE = 3;

/** `── 1 ts ──────── /copy 1`; in a narrow window, less of it. */
function writeHead({ output, options, codeBlocks }: BlockState, info: string): void {
  const { style } = output;
  const prefix = markers(output, 'code');
  const columns = options.width() - displayWidth(prefix);
  const start = `${ruleText(output, 2)} ${codeBlocks} ${info}`.trimEnd();
  const hint = options.codeHint?.(codeBlocks);
  const end = hint === undefined ? '' : ` ${hint}`;
  const room = columns - displayWidth(start) - 1;
  const shown = room - end.length >= MIN_RULE ? end : '';
  const rule = room > 0 ? ` ${ruleText(output, room - shown.length)}` : '';
  output.text += `${prefix}${rulePaint(style)(`${start}${rule}${shown}`)}\n`;
}

function writeFoot(output: BlockOutput, width: () => number): void {
  const prefix = markers(output, 'code');
  const columns = Math.max(MIN_RULE, width() - displayWidth(prefix));
  output.text += `${prefix}${rulePaint(output.style)(ruleText(output, columns))}\n`;
}

export function writeCodeLine(state: BlockState, fence: Fence, start: LineStart): void {
  fence.highlight ??= state.options.highlighter.open(fence.language);
  writeLine(state.output, fence.highlight(codeText(fence, start)), 'code');
}

export function codeText(fence: Fence, { rest, column }: LineStart): string {
  return dedent(rest, column, fence.indent);
}

export function closeFence({ output, options }: BlockState, fence: Fence): void {
  if (output.style.colored) writeFoot(output, options.width);
  else writeLine(output, fence.mark, 'code');
}

export function closeIndented({ output, options }: BlockState, blankLines: number): void {
  if (output.style.colored) writeFoot(output, options.width);
  if (blankLines > 0) output.blankBefore = true;
}

export function writeIndentedLine(state: BlockState, text: string): void {
  const { output, leaf } = state;
  const { colored } = output.style;
  if (leaf.kind === 'indented') {
    for (; leaf.blankLines > 0; leaf.blankLines -= 1) writeBlankLine(output);
  } else {
    state.codeBlocks += 1;
    if (colored) writeHead(state, '');
    state.leaf = { kind: 'indented', blankLines: 0 };
  }
  writeLine(output, colored ? text : `    ${text}`, 'code');
}
