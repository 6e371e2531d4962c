import { contentOf } from '../editing/paste.ts';
import { clearBuffer, draftOf, withDraft, type Draft } from '../editing/text-buffer.ts';
import { keyOf } from '../editing/keys/key-bindings.ts';
import { searchFor, searchFurther, type SearchStep } from './line-search.ts';
import { historyOf, type EditorState } from './line-state.ts';

const searchKey = ({ options }: EditorState) => keyOf('search-start', options.keyMap) ?? 'Ctrl+R';

function apply(state: EditorState, step: SearchStep): void {
  state.search = step.search;
  if (step.found !== undefined) {
    state.history = step.found.history;
    state.buffer = withDraft(state.buffer, step.found.draft);
  }
  state.options.say(step.words);
}

/** Ends the question for the text to search for. */
export function endSearch(state: EditorState, draft: Draft): void {
  const query = contentOf(state.buffer).trim();
  state.line.leave('\n');
  state.search = undefined;
  state.buffer = withDraft(clearBuffer(state.buffer), draft);
  state.options.onDiscarded();
  if (query !== '') apply(state, searchFor(historyOf(state), query, draft, searchKey(state)));
}

function isMatchShown({ search, buffer }: EditorState): boolean {
  return search?.phase === 'found' && search.text === buffer.text;
}

/** Ctrl+R: asks for a text, then shows older and older prompts that contain it. */
export function pressSearch(state: EditorState): void {
  const { line, options, search: current, buffer } = state;
  if (!line.isShown() || !options.isPrompt()) return;
  if (current?.phase === 'asking') return endSearch(state, current.draft);
  if (current?.phase === 'found' && isMatchShown(state))
    return apply(state, searchFurther(historyOf(state), current, searchKey(state)));
  line.leave('\n');
  state.search = { phase: 'asking', draft: draftOf(buffer) };
  state.buffer = clearBuffer(buffer);
  options.onDiscarded();
}
