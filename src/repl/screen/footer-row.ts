import { contextWindow } from '../../conversation/context-fit.ts';
import { titleOf } from '../../conversation/tree.ts';
import { percent, tokenText } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, padToWidth } from '../../terminal/text/width.ts';
import type { ReplState } from '../state.ts';
import { sourceName, shortCount } from '../text/status-text.ts';
import { modeText } from '../composer/vi/vi-keys.ts';
import { fittingParts, shorten, type LinePart } from './fit-parts.ts';
import type { Appearance } from './Rows.tsx';

export function footerOf(state: ReplState) {
  const { settings, context, conversation, service } = state;
  return {
    /** The mode of vi editing: `NORMAL`, `INSERT`, `NORMAL 2d`. */
    mode: state.vi && sanitizeLine(modeText(state.vi)),
    conversation: sanitizeLine(titleOf(conversation)) || 'new conversation',
    /** The source of answers if not the service: `sandbox` or `replay`. */
    source: sourceName(service),
    model: sanitizeLine(settings.model),
    contextUsed: context.tokens,
    isEstimate: context.isEstimate,
    window: contextWindow(settings.model, service.windows),
  };
}

export type FooterView = ReturnType<typeof footerOf>;

const minTitleColumns = 10;
const gap = '  ';
const nearlyFull = 0.8;

/** `1.4K/128K 1%`, `~36/128K`; empty at the start. */
function contextText({ contextUsed, window, isEstimate }: FooterView): string {
  if (contextUsed === 0) return '';
  if (window === undefined) return tokenText(contextUsed, isEstimate);
  const used = `${isEstimate ? '~' : ''}${shortCount(contextUsed)}/${shortCount(window)}`;
  const share = percent(contextUsed, window);
  return share === '0%' ? used : `${used} ${share}`;
}

interface Part extends LinePart {
  readonly paint: (text: string) => string;
}

const widthOf = (parts: readonly Part[]) => displayWidth(parts.map(({ text }) => text).join(gap));

/** The mode of vi editing is always shown. */
function modeColumns({ mode }: FooterView): number {
  return mode === undefined ? 0 : displayWidth(mode) + displayWidth(gap);
}

/** The title on the left, in the room that is left; on the right who answers, and the use of the model's window. */
export function footerRow(footer: FooterView, { style, symbols, columns }: Appearance): string {
  const { conversation, source = '', model, contextUsed, window } = footer;
  const isNear = window !== undefined && contextUsed >= window * nearlyFull;
  const plain = (text: string) => text;
  const warn = (text: string) => style.bold(style.yellow(text));
  const parts: readonly Part[] = [
    { text: source, paint: plain, priority: 2 },
    { text: model, paint: plain, priority: 1 },
    { text: contextText(footer), paint: isNear ? warn : style.dim, priority: 3 },
  ];
  const rest = Math.max(0, columns - modeColumns(footer));
  const shown = fittingParts(parts, rest, symbols, gap);
  const mode = footer.mode === undefined ? '' : `${footer.mode}${gap}`;
  const room = rest - widthOf(shown);
  const titleColumns = room - displayWidth(gap);
  const title = titleColumns < minTitleColumns ? '' : shorten(conversation, titleColumns, symbols);
  const left = mode + style.dim(padToWidth(title, Math.max(0, room)));
  return left + shown.map(({ text, paint }) => paint(text)).join(gap);
}
