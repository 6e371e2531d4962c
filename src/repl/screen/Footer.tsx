import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { contextWindow } from '../../conversation/context-fit.ts';
import { titleOf } from '../../conversation/tree.ts';
import { percent, tokenText } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { ContextUse } from '../state.ts';
import { sourceName, shortCount } from '../status-text.ts';
import { modeText } from '../composer/vi/vi-keys.ts';
import { fittingParts, type LinePart } from './fit-parts.ts';
import { useView } from './view.tsx';

const minTitleColumns = 10;
const gap = '  ';
const nearlyFull = 0.8;

/** `1.4K/128K 1%`, `~36/128K`; empty at the start. */
function contextText({ tokens, isEstimate }: ContextUse, window: number | undefined): string {
  if (tokens === 0) return '';
  if (window === undefined) return tokenText(tokens, isEstimate);
  const used = `${isEstimate ? '~' : ''}${shortCount(tokens)}/${shortCount(window)}`;
  const share = percent(tokens, window);
  return share === '0%' ? used : `${used} ${share}`;
}

interface Part extends LinePart {
  readonly paint: (text: string) => string;
}

/** The title on the left, in the room that is left; on the right who answers, and the use of the model's window. */
export function Footer(): ReactNode {
  const { state, style, symbols, columns } = useView();
  const { settings, context, conversation, service, vi } = state;
  const window = contextWindow(settings.model, service.windows);
  const isNear = window !== undefined && context.tokens >= window * nearlyFull;
  const plain = (text: string) => text;
  const warn = (text: string) => style.bold(style.yellow(text));
  const parts: readonly Part[] = [
    { text: sourceName(service) ?? '', paint: plain, priority: 2 },
    { text: sanitizeLine(settings.model), paint: plain, priority: 1 },
    { text: contextText(context, window), paint: isNear ? warn : style.dim, priority: 3 },
  ];
  // The mode of vi editing is always shown.
  const mode = vi === undefined ? '' : sanitizeLine(modeText(vi)) + gap;
  const room = Math.max(0, columns - displayWidth(mode));
  const shown = fittingParts(parts, room, symbols, gap);
  const used = displayWidth(shown.map(({ text }) => text).join(gap));
  const hasTitle = room - used - gap.length >= minTitleColumns;
  const title = sanitizeLine(titleOf(conversation)) || 'new conversation';
  return (
    <Box>
      <Box flexGrow={1} flexShrink={1}>
        <Text wrap="truncate">{mode + style.dim(hasTitle ? title : '')}</Text>
      </Box>
      <Box flexShrink={0} marginLeft={hasTitle ? gap.length : 0}>
        <Text>{shown.map(({ text, paint }) => paint(text)).join(gap)}</Text>
      </Box>
    </Box>
  );
}
