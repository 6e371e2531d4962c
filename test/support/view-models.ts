import { symbolsFor } from '../../src/repl/text/symbols.ts';
import type { Appearance } from '../../src/repl/view/appearance.ts';
import type { ViewModel } from '../../src/repl/view/view-model.ts';
import { colorStyle, plainStyle } from '../../src/terminal/style.ts';

/** The live region of an idle session, with changes. */
export function viewModel(changes: Partial<ViewModel> = {}): ViewModel {
  return {
    tail: '',
    status: { phase: 'idle' },
    queue: [],
    isQueuePaused: false,
    attachments: [],
    composer: {
      rows: [''],
      caret: { row: 0, column: 0 },
      hasMoreAbove: false,
      hasMoreBelow: false,
      placeholder: 'Write a prompt',
    },
    footer: {
      conversation: 'Tea and coffee',
      model: 'origin',
      contextUsed: 1204,
      contextWindow: 128_000,
      isEstimate: false,
    },
    ...changes,
  };
}

export interface Look {
  readonly columns?: number;
  readonly unicode?: boolean;
  readonly colored?: boolean;
}

/** By default plain text of 60 columns with typographic symbols. */
export function appearanceOf({
  columns = 60,
  unicode = true,
  colored = false,
}: Look = {}): Appearance {
  return {
    style: colored ? colorStyle : plainStyle,
    symbols: symbolsFor(unicode),
    columns,
  };
}
