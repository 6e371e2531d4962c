import type { FrontMatter, Placed } from '../../prompt-files/front-matter-keys.ts';
import { placeText } from '../../prompt-files/place.ts';
import type { PromptFile } from '../../prompt-files/prompt-file.ts';
import { type Definition, definitions } from '../../settings/definitions.ts';
import type { ResolvedSettings, Source } from '../../settings/resolved-settings.ts';
import { checkParameterName } from '../../settings/setting-name.ts';
import { parseSettingValue } from '../../settings/setting-value.ts';

/** The settings that a prompt file can have; the system prompt is set when its text is complete. */
const fileSettings = ['model', 'maxTokens'] as const satisfies readonly (keyof FrontMatter)[];

function parseValue(key: (typeof fileSettings)[number], { value, place }: Placed<string>): unknown {
  const definition = definitions[key] as Definition<unknown>;
  return parseSettingValue(definition, value, {
    label: `${placeText(place)}: ${definition.name}`,
    kind: 'usage',
  });
}

const isFlag = ({ kind }: Source) => kind === 'flag';

const sourceOf = ({ file }: PromptFile): Source => ({
  kind: 'prompt file',
  name: file.name,
});

function withParams(settings: ResolvedSettings, prompt: PromptFile): ResolvedSettings['params'] {
  const flags = Object.entries(settings.params).filter(([, { source }]) => isFlag(source));
  const own = (prompt.front.params ?? []).map(({ value: [name, value], place }) => {
    checkParameterName(name, 'usage', ` in ${placeText(place)}`);
    return [name, { value, source: sourceOf(prompt) }] as const;
  });
  return { ...settings.params, ...Object.fromEntries(own), ...Object.fromEntries(flags) };
}

/**
 * The settings with those of a prompt file, which options override.
 * @throws Failure `usage` with the file and the line for a bad value
 */
export function withFileSettings(settings: ResolvedSettings, prompt: PromptFile): ResolvedSettings {
  const found = fileSettings.flatMap((key) => {
    const placed = prompt.front[key];
    if (placed === undefined) return [];
    const value = parseValue(key, placed);
    return isFlag(settings.sources[key]) ? [] : [[key, value] as const];
  });
  const sources = found.map(([key]) => [key, sourceOf(prompt)] as const);
  return {
    ...settings,
    values: { ...settings.values, ...Object.fromEntries(found) },
    sources: { ...settings.sources, ...Object.fromEntries(sources) },
    params: withParams(settings, prompt),
  };
}

/** The settings with a system prompt: that of the file, or that of the option, complete. Undefined changes nothing. */
export function withSystemPrompt(
  settings: ResolvedSettings,
  prompt: PromptFile,
  system: string | undefined,
): ResolvedSettings {
  if (system === undefined) return settings;
  const source = isFlag(settings.sources.system) ? settings.sources.system : sourceOf(prompt);
  return {
    ...settings,
    values: { ...settings.values, system },
    sources: { ...settings.sources, system: source },
  };
}
