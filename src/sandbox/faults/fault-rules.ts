import { type Directive, parseDirective } from './directive.ts';
import { type Fault, replyFieldsOf } from './fault-fields.ts';

/** An absent condition matches any request. */
export interface FaultCondition {
  readonly method?: string;
  /** The whole path, such as `/v1/models`. */
  readonly path?: string;
  readonly model?: string;
  /** A part of the last user message. */
  readonly prompt?: string;
}

export interface FaultRule {
  /** How the log names the rule. */
  readonly label: string;
  readonly when: FaultCondition;
  readonly fault: Fault;
}

/** What rules match; absent if the request does not have it. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly model?: string;
  readonly prompt?: string;
}

interface AppliedFault {
  readonly fault: Fault;
  /** The rule or group that decided, if any. */
  readonly rule?: string;
  /** How often it decided so far, this request included. */
  readonly attempt?: number;
  /** The prompt without its group. */
  readonly prompt?: string;
}

export interface FaultRules {
  /** Counts the request and decides on its fault. @throws Failure `usage` for an invalid group in the prompt */
  apply(facts: RequestFacts): AppliedFault;
}

/** Beyond this number, the count of the oldest group is dropped. */
const maxGroups = 1000;

function matches({ method, path, model, prompt }: FaultCondition, facts: RequestFacts): boolean {
  return (
    (method === undefined || method.toUpperCase() === facts.method) &&
    (path === undefined || path === facts.path) &&
    (model === undefined || model === facts.model) &&
    (prompt === undefined || facts.prompt?.includes(prompt) === true)
  );
}

/** The last attempt with the fault. */
function lastAttempt({ skip = 0, times = Infinity, every = 1 }: Fault): number {
  return skip + times * every;
}

function isDue(fault: Fault, attempt: number): boolean {
  const { skip = 0, every = 1 } = fault;
  return attempt > skip && attempt <= lastAttempt(fault) && (attempt - skip) % every === 0;
}

function createRuleCounts(rules: readonly FaultRule[]) {
  const counts = new Map<FaultRule, number>();
  /** The first rule that is due decides; the reply fields of used-up rules before it stay in effect. */
  return (facts: RequestFacts): AppliedFault => {
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
    return { fault: usedUp };
  };
}

function createGroupCounts() {
  const counts = new Map<string, number>();
  /** The count of a used-up group restarts, so that the same prompt always behaves the same way. */
  return ({ source, fault }: Directive): { readonly attempt: number; readonly due: boolean } => {
    const attempt = (counts.get(source) ?? 0) + 1;
    counts.delete(source);
    if (attempt <= lastAttempt(fault)) counts.set(source, attempt);
    const oldest = counts.keys().next().value;
    if (counts.size > maxGroups && oldest !== undefined) counts.delete(oldest);
    return { attempt, due: isDue(fault, attempt) };
  };
}

/** Combines the rules of a sandbox with the groups in prompts; a group overrides a rule. */
export function createFaultRules(rules: readonly FaultRule[]): FaultRules {
  const applyRules = createRuleCounts(rules);
  const countGroup = createGroupCounts();
  return {
    apply(facts) {
      const directive = facts.prompt === undefined ? undefined : parseDirective(facts.prompt);
      const applied = applyRules(facts);
      if (directive === undefined) return applied;
      const { attempt, due } = countGroup(directive);
      const fault = due ? directive.fault : replyFieldsOf(directive.fault);
      return {
        fault: { ...applied.fault, ...fault },
        rule: directive.source,
        attempt,
        prompt: directive.rest,
      };
    },
  };
}
