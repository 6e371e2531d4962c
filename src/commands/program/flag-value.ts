import { beforeDashes } from './command-line.ts';

export const hasFlag = (words: readonly string[], option: string): boolean =>
  beforeDashes(words).includes(option);

/** The last value of an option such as `--profile`. */
export function flagValue(words: readonly string[], option: string): string | undefined {
  const options = beforeDashes(words);
  const last = options.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  if (last < 0) return undefined;
  return options[last] === option ? options[last + 1] : options[last]?.slice(option.length + 1);
}
