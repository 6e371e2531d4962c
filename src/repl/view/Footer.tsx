import type { ReactNode } from 'react';
import { count, percent, tokenText } from '../../output/figures.ts';
import type { FooterView } from './view-model.ts';
import { useAppearance } from './appearance.ts';
import { fitParts, shorten } from './fit-parts.ts';
import { Row } from './Rows.tsx';

const longestTitle = 30;
const shortestTitle = 10;

/** `1,204 of 128,000 tokens (1%)`. */
function contextText({ contextUsed, contextWindow, isEstimate }: FooterView): string {
  if (contextWindow === undefined) return tokenText(contextUsed, isEstimate);
  const used = `${isEstimate ? '~' : ''}${count(contextUsed)}`;
  return `${used} of ${tokenText(contextWindow)} (${percent(contextUsed, contextWindow)})`;
}

const nearlyFull = 0.8;

/** Conversation, model, context use, and the last answer's usage. */
export function Footer({ footer }: { readonly footer: FooterView }): ReactNode {
  const { style, signs, columns } = useAppearance();
  const parts = [
    { text: shorten(footer.conversation, longestTitle, signs), worth: 1, least: shortestTitle },
    { text: footer.source ?? '', worth: 3 },
    { text: footer.model, worth: 2 },
    { text: contextText(footer), worth: 4 },
    { text: footer.usage ?? '', worth: 0 },
  ];
  const line = fitParts(parts, columns, signs);
  const { contextUsed, contextWindow } = footer;
  const isNear = contextWindow !== undefined && contextUsed >= contextWindow * nearlyFull;
  return <Row>{isNear ? style.yellow(line) : style.dim(line)}</Row>;
}
