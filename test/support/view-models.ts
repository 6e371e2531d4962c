import type { ViewModel } from '../../src/repl/view/view-model.ts';

/** The live region of an idle session, and what is changed of it. */
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
