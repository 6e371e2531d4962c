import type { Message } from '../../client/contract.ts';

/** Where an item stands in the input, and what it is called there. */
export interface ItemPlace {
  /** From 1, over the whole input; empty lines do not count. */
  readonly index: number;
  /** Line of the input on which it begins, from 1. */
  readonly line: number;
  /** Undefined where the input names none. */
  readonly id: string | undefined;
}

/** Names and values of one line or row: JSON values, or the text of cells. */
export type ItemFields = Readonly<Record<string, unknown>>;

/** What is wrong with an item, as a part of a sentence. */
export interface Problem {
  readonly problem: string;
}

/** What an item asks; everything but the turns wins over the settings. */
export interface ItemContent {
  /** A prompt is one turn of the user. */
  readonly messages: readonly Message[];
  readonly system?: string;
  readonly model?: string;
  readonly maxTokens?: number;
  /** Further fields of the request body. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** An item that can be sent. */
export interface BatchItem extends ItemPlace {
  readonly content: ItemContent;
  readonly problem?: never;
}

/** An item that cannot be sent, and why: a part of a sentence. */
interface BadItem extends ItemPlace {
  readonly problem: string;
  readonly content?: never;
}

export type InputItem = BatchItem | BadItem;
