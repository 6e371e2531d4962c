import { expect, test } from 'vitest';
import { readAnswerValue } from '../../src/schema/answer-value.ts';

test.each([
  ['{"a": 1}', '{"a": 1}'],
  ['\n  {"a": 1}\n', '{"a": 1}'],
  ['\uFEFF[1]', '[1]'],
  ['```json\n{"a": 1}\n```', '{"a": 1}'],
  ['```\n\n[1,\n 2]\n\n```\n', '[1,\n 2]'],
  ['~~~~ json\r\n1\r\n~~~~', '1'],
  ['"text"', '"text"'],
  ['null', 'null'],
])('%j is the value %j', (content, text) => {
  expect(readAnswerValue(content)).toEqual({ text, value: JSON.parse(text) });
});

test.each([
  ['', 'is empty'],
  [' \n', 'is empty'],
  ['Hello!', 'is not JSON'],
  ['{"a": 1,}', 'is not JSON'],
  ["{'a': 1}", 'is not JSON'],
  ['{"a": 1} {"a": 2}', 'is not JSON'],
  ['Here it is:\n```json\n{"a": 1}\n```', 'is not JSON alone: it has text around a code block'],
  ['```json\n{"a": 1}\n```\nDone.', 'is not JSON alone: it has text around a code block'],
  ['```json\n{"a": 1}', 'is not JSON alone: it has text around a code block'],
  ['```json\n```json\n1\n```\n```', 'is not JSON alone: it has text around a code block'],
  ['[NaN]', 'is not JSON'],
  ['['.repeat(501) + ']'.repeat(501), 'is nested more than 500 deep'],
])('%j %s', (content, message) => {
  expect(readAnswerValue(content)).toEqual({ path: '', message });
});
