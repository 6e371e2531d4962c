import type { Container, LineStart } from './containers.ts';

interface OpeningFence {
  /** As written, without its info string. */
  readonly mark: string;
  /** The words after the mark, of which the first is usually the language. */
  readonly info: string;
  /** Columns to remove from each line. */
  readonly indent: number;
}

/** Indentation of the open containers, to which the fence's own is added. */
function containerColumns(containers: readonly Container[]): number {
  return containers.reduce(
    (columns, container) => columns + (container.kind === 'item' ? container.indent : 2),
    0,
  );
}

/** @param start of kind `fence` */
export function readFence(
  { rest, column }: LineStart,
  containers: readonly Container[],
): OpeningFence {
  const mark = /^(?:`+|~+)/.exec(rest)?.[0] ?? '';
  return {
    mark,
    info: rest.slice(mark.length).trim(),
    indent: column - containerColumns(containers),
  };
}
