import type { ListCode } from '../state/state.ts';
import { closeList, onListAction, onListEvent, onListText } from './answer-list.ts';
import { listFrame } from './list-frame.ts';
import { answerQuestion, questionOf } from './list-question.ts';

export const listCode: ListCode = {
  closeList,
  onListAction,
  onListEvent,
  onListText,
  listFrame,
  questionOf,
  answerQuestion,
};
