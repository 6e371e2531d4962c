import type { ResultFile } from './result-file.ts';
import type { WrittenResult } from './result-index.ts';

/** Appends results that arrive in one turn of the event loop together, because a write costs as much as an answer. */
interface JoinedResults {
  /** Resolves when the file has the result. @throws Failure `storage` if it cannot be appended */
  append(result: WrittenResult): Promise<void>;
}

/** Appends each result that fits. @throws Failure `storage`, the first one */
function appendEach(
  file: Pick<ResultFile, 'append'>,
  results: readonly WrittenResult[],
  onUnsaved: (text: string) => void,
): void {
  const failures: unknown[] = [];
  for (const result of results) {
    try {
      file.append([result]);
    } catch (error) {
      onUnsaved(result.text);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** @param onUnsaved gets each result that could not be appended */
export function joinResults(
  file: Pick<ResultFile, 'append'>,
  onUnsaved: (text: string) => void,
): JoinedResults {
  let waiting: WrittenResult[] = [];
  let saving: Promise<void> | undefined;

  function appendWaiting(): void {
    const results = waiting;
    waiting = [];
    saving = undefined;
    try {
      file.append(results);
    } catch {
      // None of them was appended; some may fit.
      appendEach(file, results, onUnsaved);
    }
  }
  const startSaving = (): Promise<void> =>
    new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          appendWaiting();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
  return {
    append(result) {
      waiting.push(result);
      saving ??= startSaving();
      return saving;
    },
  };
}
