import { createContext, runInContext } from 'node:vm';
import { Ajv, type ErrorObject, MissingRefError, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import type { Violation } from './answer-value.ts';

export type CompiledSchema = ReturnType<typeof compileSchema>;

/** Milliseconds for one value: a pattern can take years. */
const defaultLimit = 5000;
/** A list with many wrong items has one violation each. */
const maxViolations = 50;

const drafts: ReadonlyMap<string, typeof Ajv | typeof Ajv2020> = new Map([
  ['json-schema.org/draft/2020-12/schema', Ajv2020],
  ['json-schema.org/draft-07/schema', Ajv],
]);

/** The validator of the draft in `$schema`; without one, of 2020-12. @throws Failure `usage` */
function validatorOf(schema: JsonObject, label: string): typeof Ajv | typeof Ajv2020 {
  const { $schema: named = 'https://json-schema.org/draft/2020-12/schema' } = schema;
  const name = typeof named === 'string' ? named.replace(/^https?:\/\//, '').replace(/#$/, '') : '';
  const found = drafts.get(name);
  if (found !== undefined) return found;
  throw new Failure('usage', `${label} is for a draft of JSON Schema that natter does not check`, {
    hint: 'the $schema it takes is 2020-12 (the default) or draft-07',
  });
}

/** What the messages of ajv leave out, by keyword. */
const details: ReadonlyMap<string, string> = new Map([
  ['additionalProperties', 'additionalProperty'],
  ['unevaluatedProperties', 'unevaluatedProperty'],
  ['enum', 'allowedValues'],
  ['const', 'allowedValue'],
]);

function messageOf({ keyword, params, message = 'does not conform' }: ErrorObject): string {
  const detail = (params as JsonObject)[details.get(keyword) ?? ''];
  const text = message.replaceAll('NOT', 'not');
  return detail === undefined ? text : `${text}: ${JSON.stringify(detail)}`;
}

function violationsOf(errors: readonly ErrorObject[]): readonly Violation[] {
  const shown = errors.slice(0, maxViolations).map((error) => ({
    path: error.instancePath,
    message: messageOf(error),
  }));
  const more = errors.length - shown.length;
  return more === 0 ? shown : [...shown, { path: '', message: `has ${more} more violations` }];
}

const nameIn = (pattern: RegExp, text: unknown) => pattern.exec(String(text))?.groups?.['name'];

/** Adds the keywords that ajv reports as unknown to `names`. Those that begin with `x-` are extensions. */
function optionsOf(names: Set<string>): Options {
  const warn = (text: unknown) => {
    const name = nameIn(/unknown keyword: "(?<name>[^"]+)"/, text);
    if (name !== undefined && !name.startsWith('x-')) names.add(name);
  };
  return {
    allErrors: true,
    // A member such as toString is not inherited.
    ownProperties: true,
    strictSchema: 'log',
    strictTypes: false,
    strictTuples: false,
    validateSchema: false,
    logger: { log: warn, warn, error: warn },
  };
}

type Validator = InstanceType<typeof Ajv | typeof Ajv2020>;

/** Ignores unknown formats, as the specification demands. @param unknown gets their names */
function compile(ajv: Validator, schema: JsonObject, unknown: Set<string>): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (error) {
    const format = nameIn(/^unknown format "(?<name>[^"]+)"/, (error as Error).message);
    if (format === undefined || unknown.has(format)) throw error;
    unknown.add(format);
    ajv.addFormat(format, true);
    return compile(ajv, schema, unknown);
  }
}

function compileFailure(error: unknown, label: string): Failure {
  if (error instanceof MissingRefError) {
    return new Failure('usage', `${label} refers to ${error.missingRef}, which is not in it`, {
      hint: 'natter loads no schema from a file or an address; copy it into $defs',
      cause: error,
    });
  }
  const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
  return new Failure('usage', `${label} cannot be used: ${reason}`, { cause: error });
}

/**
 * Compiles a schema of draft 2020-12 or 7. `format` is checked; a value is never changed.
 * @throws Failure `usage` for a schema that is not valid, or refers to something outside it
 */
export function compileSchema(
  source: JsonObject,
  { label, limit = defaultLimit }: { readonly label: string; readonly limit?: number },
) {
  const Constructor = validatorOf(source, label);
  const { $schema: _draft, ...schema } = source;
  const unknown = new Set<string>();
  const ajv = new Constructor(optionsOf(unknown));
  ajvFormats.default(ajv);
  if (ajv.validateSchema(schema) !== true) {
    const [first] = violationsOf(ajv.errors ?? []);
    const problem = `${first?.path ?? ''} ${first?.message ?? ''}`.trimStart();
    throw new Failure('usage', `${label} is not a JSON Schema: ${problem}`);
  }
  let validate: ValidateFunction;
  try {
    validate = compile(ajv, schema, unknown);
  } catch (error) {
    throw compileFailure(error, label);
  }
  if ('$async' in validate) {
    throw new Failure('usage', `${label} has the keyword $async, which natter does not support`);
  }
  let checked: unknown;
  const context = createContext({ run: () => validate(checked) });
  return {
    /** @returns nothing for a value that conforms @throws Failure `usage` if it takes longer than the limit */
    check(value: unknown) {
      checked = value;
      try {
        // Interrupts a pattern, too.
        runInContext('run()', context, { timeout: limit });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        throw new Failure('usage', `${label} takes longer than ${limit} ms to check an answer`, {
          hint: 'simplify its patterns: repetitions inside repetitions take long',
          cause: error,
        });
      }
      return violationsOf(validate.errors ?? []);
    },
    /** Keywords and formats that are unknown, and not checked. */
    unknown: [...unknown],
  };
}
