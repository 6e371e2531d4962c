import type { Command, Option } from 'commander';

/** Options under the heading that help shows them by. */
export type OptionGroup = readonly [heading: string, options: readonly Option[]];

/** Adds options in the order that help shows them in. */
export function addOptionGroups(command: Command, groups: readonly OptionGroup[]): void {
  for (const [heading, options] of groups) {
    for (const option of options) command.addOption(option.helpGroup(heading));
  }
}
