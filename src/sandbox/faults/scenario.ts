import { Failure } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { locatedProblem } from '../../json-place.ts';
import type { Fault } from './fault-fields.ts';
import type { FaultCondition, FaultRule } from './fault-rules.ts';
import { parseFault, type WrittenField } from './parse-fault.ts';

const conditions = ['method', 'path', 'model', 'prompt'];

function parse(text: string, source: string): unknown {
  const content = text.replace(/^\uFEFF/, '');
  const value = parseJson(content);
  if (value === undefined) throw new Failure('usage', `${source} ${locatedProblem(content)}`);
  return value;
}

/** A JSON value as the text of the field in a group. */
function fieldTexts(name: string, value: unknown, place: string): readonly WrittenField[] {
  if (value === true) return [[name, undefined]];
  if (value === false) return [];
  if (typeof value === 'string' || typeof value === 'number') return [[name, String(value)]];
  if (name === 'body' && value !== undefined) return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) return value.flatMap((item) => fieldTexts(name, item, place));
  if (isJsonObject(value) && ['headers', 'header'].includes(name)) {
    return Object.entries(value).map(([header, text]) => [name, `${header}: ${String(text)}`]);
  }
  throw new Failure('usage', `${place} must be text, a number, true or false`);
}

function parseFields(fields: JsonObject, place: string): Fault {
  return parseFault(
    Object.entries(fields).flatMap(([name, value]) => fieldTexts(name, value, `${place}.${name}`)),
  );
}

function parseCondition(value: unknown, place: string): FaultCondition {
  if (!isJsonObject(value)) throw new Failure('usage', `${place} must be an object`);
  for (const [name, text] of Object.entries(value)) {
    if (!conditions.includes(name)) {
      throw new Failure('usage', `${place}.${name} is unknown; use ${conditions.join(', ')}`);
    }
    if (typeof text !== 'string') throw new Failure('usage', `${place}.${name} must be text`);
  }
  return value;
}

function parseRule(value: unknown, place: string, source: string): FaultRule {
  if (!isJsonObject(value)) throw new Failure('usage', `${source}: ${place} must be an object`);
  const { when = {}, label = place, ...fields } = value;
  try {
    return {
      label: String(label),
      when: parseCondition(when, `${place}.when`),
      fault: parseFields(fields, place),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = error.message.startsWith(place) ? error.message : `${place}: ${error.message}`;
    throw new Failure('usage', `${source}: ${message}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

/**
 * Parses a scenario: `{"rules": [{"when": {"model", "path", "method", "prompt"}, "label", …fault fields}]}`.
 * @param source the file's name in messages
 * @throws Failure `usage` with the place of the error
 */
export function parseScenario(text: string, source: string): readonly FaultRule[] {
  const value = parse(text, source);
  const { rules, ...others } = isJsonObject(value) ? value : {};
  if (!Array.isArray(rules)) {
    throw new Failure('usage', `${source} has no list of rules`, {
      hint: 'a scenario looks like {"rules": [{"when": {"model": "nextgen"}, "status": 500, "times": 2}]}',
    });
  }
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new Failure('usage', `${source}: "${unknown}" is unknown; the only field is "rules"`);
  }
  return rules.map((rule, index) => parseRule(rule, `rules[${index}]`, source));
}
