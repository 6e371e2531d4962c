import { definitions, settingKeys } from '../../settings/definitions.ts';
import { settingFamilies } from '../../settings/setting-name.ts';
import { settingText } from '../program/global-options.ts';
import type { HelpRow } from '../program/help-details.ts';

/** Every setting with its values, default and variable. */
export const settingRows: readonly HelpRow[] = [
  ...settingKeys.map((key) => {
    const { name, type, variable, default: value } = definitions[key];
    const switched = typeof value === 'boolean' ? `, default ${value}` : '';
    const text = settingText(key).replace(/, default true$/, '');
    return { term: `${name} <${type.name}>`, description: `${text}${switched} [${variable}]` };
  }),
  ...settingFamilies.map(({ name, type, summary }) => ({
    term: `${name} <${type}>`,
    description: summary.charAt(0).toLowerCase() + summary.slice(1),
  })),
];
