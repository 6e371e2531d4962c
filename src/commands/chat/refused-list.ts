import { Failure } from '../../failure.ts';

/** For `--resume` alone, which lists conversations: the output is not a terminal. @throws Failure `usage` */
export function refuseList(): never {
  throw new Failure('usage', '--resume alone lists conversations, which needs a terminal', {
    hint: 'natter conversations lists them; natter --resume ID "and at sunset?" continues one',
  });
}
