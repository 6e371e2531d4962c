import type { TextBuffer } from '../editing/text-buffer.ts';

/** A local server that answered the probe. */
export interface FoundServer {
  /** Product name, such as `Ollama`. */
  readonly name: string;
  readonly url: string;
  readonly models: readonly string[];
}

export interface DialogChoice {
  readonly key: 'connect' | 'probe' | 'sandbox' | 'server';
  readonly label: string;
  /** For `server` choices. */
  readonly url?: string;
  readonly model?: string;
}

interface DialogFrame {
  /** The question that led to this one: Esc goes back to it. Without one Esc cancelss. */
  readonly before?: Dialog | undefined;
}

/** A modal question: it receives every key until it is answered or cancelled. */
export type Dialog =
  | (DialogFrame & {
      readonly type: 'choice';
      /** May have several lines. */
      readonly title: string;
      readonly choices: readonly DialogChoice[];
      readonly selected: number;
    })
  | (DialogFrame & {
      readonly type: 'entry';
      readonly asks: 'address' | 'key';
      readonly title: string;
      readonly input: TextBuffer;
      /** Typed text is not shown. */
      readonly isHidden: boolean;
      /** The service the key is for, or the previously entered address. */
      readonly address: string;
    });
