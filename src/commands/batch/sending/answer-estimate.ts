/** Tokens of an answer without a limit. */
export interface AnswerEstimate {
  value(): number;
  learn(tokens: number): void;
}

/** Part of the estimate that each answer replaces. */
const weight = 0.1;

/** The average of the latest answers. */
export function createAnswerEstimate(): AnswerEstimate {
  let average: number | undefined;
  return {
    value: () => Math.round(average ?? 0),
    learn(tokens) {
      const known = Math.max(0, tokens);
      average = average === undefined ? known : average + weight * (known - average);
    },
  };
}
