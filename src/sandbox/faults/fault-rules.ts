import { type Directive, parseDirective } from './directive.ts';
import { type Fault, replyFieldsOf } from './fault-fields.ts';

/** Conditions of a rule; an absent one matches any request. */
export interface FaultCondition {
  readonly method?: string;
  /** The whole path, such as `/v1/models`. */
  readonly path?: string;
  readonly model?: string;
  /** A part of the last user turn. */
  readonly prompt?: string;
}

export interface FaultRule {
  /** How the log names the rule. */
  readonly label: string;
  readonly when: FaultCondition;
  readonly fault: Fault;
}

/** The parts of a request that rules match; absent where the request has none. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly model?: string;
  readonly prompt?: string;
}

/** What one request meets. */
interface AppliedFault {
  readonly fault: Fault;
  /** The rule or group that decided, when one did. */
  readonly rule?: string;
  /** How often it decided so far, this request included. */
  readonly attempt?: number;
  /** The prompt without its group. */
  readonly prompt?: string;
}

export interface FaultRules {
  /** Decides what a request meets, and counts it. @throws Failure `usage` for a wrong group in the prompt */
  apply(facts: RequestFacts): AppliedFault;
}

/** Groups whose count is remembered; the oldest are forgotten beyond it. */
const rememberedGroups = 1000;

function concerns({ method, path, model, prompt }: FaultCondition, facts: RequestFacts): boolean {
  return (
    (method === undefined || method.toUpperCase() === facts.method) &&
    (path === undefined || path === facts.path) &&
    (model === undefined || model === facts.model) &&
    (prompt === undefined || facts.prompt?.includes(prompt) === true)
  );
}

/** The attempt at which a fault was shown for the last time. */
function lastAttempt({ skip = 0, times = Infinity, every = 1 }: Fault): number {
  return skip + times * every;
}

function isDue(fault: Fault, attempt: number): boolean {
  const { skip = 0, every = 1 } = fault;
  return attempt > skip && attempt <= lastAttempt(fault) && (attempt - skip) % every === 0;
}

function createRuleCounts(rules: readonly FaultRule[]) {
  const counts = new Map<FaultRule, number>();
  /** The first rule that is due decides; what earlier ones said about the reply stays. */
  return (facts: RequestFacts): AppliedFault => {
    let spent: Fault = {};
    for (const rule of rules) {
      if (!concerns(rule.when, facts)) continue;
      const attempt = (counts.get(rule) ?? 0) + 1;
      counts.set(rule, attempt);
      if (isDue(rule.fault, attempt)) {
        return { fault: { ...rule.fault, ...spent }, rule: rule.label, attempt };
      }
      spent = { ...replyFieldsOf(rule.fault), ...spent };
    }
    return { fault: spent };
  };
}

function createGroupCounts() {
  const counts = new Map<string, number>();
  /** A finished group starts again, so that the same prompt always behaves the same. */
  return ({ source, fault }: Directive): { readonly attempt: number; readonly due: boolean } => {
    const attempt = (counts.get(source) ?? 0) + 1;
    counts.delete(source);
    if (attempt <= lastAttempt(fault)) counts.set(source, attempt);
    const oldest = counts.keys().next().value;
    if (counts.size > rememberedGroups && oldest !== undefined) counts.delete(oldest);
    return { attempt, due: isDue(fault, attempt) };
  };
}

/** Joins the rules a sandbox was started with and the groups in prompts; a group wins over a rule. */
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
