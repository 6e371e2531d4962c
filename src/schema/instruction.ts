// What natter adds to a prompt with a schema. docs/json.md shows these texts.

import type { JsonObject } from '../json.ts';
import { describeViolation, type Violation } from './violation.ts';

/** Of a long list, the first ones are enough to correct an answer. */
const maxListed = 20;

const only = 'Write only the JSON: no code fence and no other text.';

/** The prompt with the schema behind it. */
export function withInstruction(prompt: string, schema: JsonObject): string {
  const instruction = `Answer with one JSON value that conforms to the JSON Schema below. ${only}`;
  return `${prompt}\n\n${instruction}\n\n${JSON.stringify(schema)}`;
}

/** The prompt that follows an answer with violations. */
export function correctionPrompt(violations: readonly Violation[]): string {
  const lines = violations.slice(0, maxListed).map((one) => `- ${describeViolation(one)}`);
  return `Your answer does not conform to the JSON Schema:\n\n${lines.join('\n')}\n\nAnswer again with one JSON value that conforms to it. ${only}`;
}
