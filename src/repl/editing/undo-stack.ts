/** One undo step: at offset `at`, `removed` became `inserted`; `cursor` is the caret before the edit. */
export interface Edit {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
  readonly cursor: number;
}

const deepest = 500;

/** Adds an edit; `goesOn` joins it with the last one if both change the same word. */
export function joinEdit(stack: readonly Edit[], edit: Edit, joinsLast: boolean): readonly Edit[] {
  const last = stack.at(-1);
  const joined = joinsLast && last !== undefined ? joinTyped(last, edit) : undefined;
  return joined === undefined
    ? [...stack.slice(1 - deepest), edit]
    : [...stack.slice(0, -1), joined];
}

function joinTyped(last: Edit, edit: Edit): Edit | undefined {
  if (last.removed === '' && edit.removed === '') {
    if (last.at + last.inserted.length !== edit.at) return undefined;
    if (/\s$/.test(last.inserted) && /^\S/.test(edit.inserted)) return undefined;
    return { ...last, inserted: last.inserted + edit.inserted };
  }
  if (last.inserted !== '' || edit.inserted !== '') return undefined;
  if (edit.at + edit.removed.length === last.at) {
    return { ...last, at: edit.at, removed: edit.removed + last.removed };
  }
  return edit.at === last.at ? { ...last, removed: last.removed + edit.removed } : undefined;
}
