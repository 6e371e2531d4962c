import { describe, expect, test } from 'vitest';
import { nameProfile } from '../../src/cli/report.ts';

describe('the profile in the commands of a hint', () => {
  test.each([
    [
      '‹natter config set prices.origin "0.5/1.5 USD"›',
      '‹natter config set prices.origin "0.5/1.5 USD" --profile work›',
    ],
    [
      "‹natter config set system 'Be brief, please'›, or try again",
      "‹natter config set system 'Be brief, please' --profile work›, or try again",
    ],
    [
      '‹natter config set budget 1usd/day›; ‹natter auth status›',
      '‹natter config set budget 1usd/day --profile work›; ‹natter auth status --profile work›',
    ],
  ])('follows the whole value: %s', (hint, expected) => {
    expect(nameProfile(hint, 'work')).toBe(expected);
  });
});
