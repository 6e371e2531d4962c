/**
 * The words of a command whose options may be unknown, with `--` before those that are text: commander keeps or removes it.
 * @param args the words as commander parsed them
 * @param words the whole command line
 */
export function withDashes(args: readonly string[], words: readonly string[]): string[] {
  const end = words.indexOf('--');
  if (end < 0) return [...args];
  const text = words.slice(end + 1);
  const before = args.slice(0, args.length - text.length).filter((word) => word !== '--');
  return [...before, '--', ...text];
}
