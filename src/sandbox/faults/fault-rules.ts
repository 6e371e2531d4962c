import { Failure, type FailureOptions } from '../../failure.ts';
import { locatedProblem, isJsonObject, parseJson } from '../../json.ts';
import { type Fault, replyFieldsOf } from './fault-fields.ts';
import { type Directive, parseDirective, parseFault, type WrittenField } from './parse-fault.ts';

const conditions = ['method', 'path', 'model', 'prompt'] as const;

/** Matches the whole path, and a part of the last user message (`prompt`). An absent condition matches any request. */
export type FaultCondition = {
  readonly [Name in (typeof conditions)[number]]?: string | undefined;
};

export interface FaultRule {
  /** How the log names the rule. */
  readonly label: string;
  readonly when: FaultCondition;
  readonly fault: Fault;
}

/** What rules match: the model and the prompt are absent if the request does not have them. */
export type RequestFacts = FaultCondition & { readonly method: string; readonly path: string };

/** Beyond this number, the count of the oldest group is dropped. */
const maxGroups = 1000;

const matches = ({ method, path, model, prompt = '' }: FaultCondition, facts: RequestFacts) =>
  (method ?? facts.method).toUpperCase() === facts.method.toUpperCase() &&
  (path ?? facts.path) === facts.path &&
  (model ?? facts.model) === facts.model &&
  (facts.prompt ?? '').includes(prompt);

/** The last attempt with the fault. */
function lastAttempt({ skip = 0, times = Infinity, every = 1 }: Fault): number {
  return skip + times * every;
}

function isDue(fault: Fault, attempt: number): boolean {
  const { skip = 0, every = 1 } = fault;
  return attempt > skip && attempt <= lastAttempt(fault) && (attempt - skip) % every === 0;
}

/** Combines the rules of a sandbox with the groups in prompts; a group overrides a rule. */
export function createFaultRules(rules: readonly FaultRule[]) {
  const counts = new Map<FaultRule, number>();
  const groups = new Map<string, number>();

  /** The first rule that is due decides; the reply fields of used-up rules before it stay in effect. */
  function applyRules(facts: RequestFacts) {
    let usedUp: Fault = {};
    for (const rule of rules) {
      if (!matches(rule.when, facts)) continue;
      const attempt = (counts.get(rule) ?? 0) + 1;
      counts.set(rule, attempt);
      if (isDue(rule.fault, attempt)) {
        return { fault: { ...rule.fault, ...usedUp }, rule: rule.label, attempt };
      }
      usedUp = { ...replyFieldsOf(rule.fault), ...usedUp };
    }
    return { fault: usedUp, rule: undefined, attempt: undefined };
  }

  /** The count of a used-up group restarts, so that the same prompt always behaves the same way. */
  function countGroup({ source, fault }: Directive): number {
    const attempt = (groups.get(source) ?? 0) + 1;
    groups.delete(source);
    if (attempt <= lastAttempt(fault)) groups.set(source, attempt);
    const oldest = groups.keys().next().value;
    if (groups.size > maxGroups && oldest !== undefined) groups.delete(oldest);
    return attempt;
  }

  return {
    /**
     * Counts the request and decides on its fault.
     * @returns the fault, the rule or group that decided, how often it has, and the prompt without its group
     * @throws Failure `usage` for an invalid group in the prompt
     */
    apply(facts: RequestFacts) {
      const directive = facts.prompt === undefined ? undefined : parseDirective(facts.prompt);
      const applied = applyRules(facts);
      if (directive === undefined) return { ...applied, prompt: facts.prompt };
      const { source: rule, fault: own, rest: prompt } = directive;
      const attempt = countGroup(directive);
      const fault = isDue(own, attempt) ? own : replyFieldsOf(own);
      return { fault: { ...applied.fault, ...fault }, rule, attempt, prompt };
    },
  };
}

/** A JSON value as the text of the field in a group. @throws Failure `usage` for one that has none */
function fieldTexts(name: string, value: unknown): readonly WrittenField[] {
  if (value === true) return [[name, undefined]];
  if (value === false) return [];
  if (typeof value === 'string' || typeof value === 'number') return [[name, String(value)]];
  if (name === 'body' && value !== undefined) return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) return value.flatMap((item) => fieldTexts(name, item));
  if (!isJsonObject(value) || !['headers', 'header'].includes(name)) {
    throw new Failure('usage', `${name} must be text, a number, true or false`);
  }
  return Object.entries(value).map(([header, text]) => [name, `${header}: ${String(text)}`]);
}

/** @throws Failure `usage` with the place of the error */
function parseRule(value: unknown, place: string, source: string): FaultRule {
  const refuse = (problem: string, options?: FailureOptions) =>
    new Failure('usage', `${source}: ${place}${problem}`, options);
  if (!isJsonObject(value)) throw refuse(' must be an object');
  const { when = {}, label = place, ...fields } = value;
  if (!isJsonObject(when)) throw refuse('.when must be an object');
  for (const [name, text] of Object.entries(when)) {
    if (conditions.every((known) => known !== name)) {
      throw refuse(`.when.${name} is unknown; use ${conditions.join(', ')}`);
    }
    if (typeof text !== 'string') throw refuse(`.when.${name} must be text`);
  }
  try {
    const written = Object.entries(fields).flatMap(([name, field]) => fieldTexts(name, field));
    return { label: String(label), when, fault: parseFault(written) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw refuse(`: ${error.message}`, { cause: error, hint: error.hint });
  }
}

/**
 * Parses a scenario: `{"rules": [{"when": {"model", "path", "method", "prompt"}, "label", …fault fields}]}`.
 * @param source the file's name in messages
 * @throws Failure `usage` with the place of the error
 */
export function parseScenario(text: string, source: string): readonly FaultRule[] {
  const content = text.replace(/^\uFEFF/, '');
  const value = parseJson(content);
  if (value === undefined) throw new Failure('usage', `${source} ${locatedProblem(content)}`);
  const { rules, ...others } = isJsonObject(value) ? value : {};
  if (!Array.isArray(rules)) {
    const hint =
      'a scenario looks like {"rules": [{"when": {"model": "nextgen"}, "status": 500, "times": 2}]}';
    throw new Failure('usage', `${source} has no list of rules`, { hint });
  }
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new Failure('usage', `${source}: "${unknown}" is unknown; the only field is "rules"`);
  }
  return rules.map((rule, index) => parseRule(rule, `rules[${index}]`, source));
}
