import type { TextBuffer } from '../editing/text-buffer.ts';

/** A server that answered on this machine. */
export interface FoundServer {
  /** As in `Ollama`. */
  readonly name: string;
  readonly url: string;
  readonly models: readonly string[];
}

export interface DialogChoice {
  readonly key: 'connect' | 'probe' | 'sandbox' | 'server';
  readonly label: string;
  /** Of a server. */
  readonly url?: string;
  readonly model?: string;
}

interface DialogFrame {
  /** The question that led to this one: Esc goes back to it. Without one Esc cancelss. */
  readonly before?: Dialog | undefined;
}

/** A question that has the keyboard until it is answered or left. */
export type Dialog =
  | (DialogFrame & {
      readonly type: 'choice';
      /** Says why it is asked; lines. */
      readonly title: string;
      readonly choices: readonly DialogChoice[];
      readonly selected: number;
    })
  | (DialogFrame & {
      readonly type: 'entry';
      readonly asks: 'address' | 'key';
      readonly title: string;
      readonly input: TextBuffer;
      /** What is typed does not appear. */
      readonly isHidden: boolean;
      /** The service the key is for, or that was entered before. */
      readonly address: string;
    });
