import { fieldsAfterId } from '../../output/json-answer.ts';
import { escapeJson } from '../../terminal/safety/escape-json.ts';
import { compactJson } from '../../schema/json-pointer.ts';
import { type CheckedAnswers, lastOf } from './ask.ts';
import type { CheckedText } from './open-check.ts';

/**
 * The fields that a check adds to the JSON of an answer, except the value: `violations`, and `checked_answers` if the
 * model was asked again.
 */
export function checkFields(answers: CheckedAnswers, requestedModel: string): object {
  const { checked } = lastOf(answers);
  return {
    violations: checked?.violations,
    checked_answers:
      answers.length === 1
        ? undefined
        : answers.map(({ answer: { metadata, content }, checked: { violations } = {} }) => ({
            ...fieldsAfterId(metadata, content, requestedModel),
            violations,
          })),
  };
}

/** Adds `value` and `selected` to a line of JSON, with the digits that the model wrote. */
export function withValue(line: string, checked: CheckedText | undefined): string {
  if (checked?.found === undefined) return line;
  const json = (text: string) => escapeJson(compactJson(text));
  const { found, selected } = checked;
  const value = `,"value":${json(found.text)}`;
  const part = selected === undefined ? '' : `,"selected":${json(selected)}`;
  return line.replace(/\}\n$/, () => `${value}${part}}\n`);
}
