import { Chalk, type ChalkInstance } from 'chalk';
import type { Look, Style } from './style.ts';

/** Given the whole text, chalk would also put its codes around empty lines. */
export function eachLine(look: ChalkInstance): Style[Look] {
  return (text) =>
    text.includes('\n')
      ? text
          .split('\n')
          .map((line) => look(line))
          .join('\n')
      : look(text);
}

export function createChalkStyle(): Style {
  const chalk = new Chalk({ level: 1 });
  return {
    colored: true,
    bold: eachLine(chalk.bold),
    dim: eachLine(chalk.dim),
    italic: eachLine(chalk.italic),
    underline: eachLine(chalk.underline),
    strike: eachLine(chalk.strikethrough),
    red: eachLine(chalk.red),
    green: eachLine(chalk.green),
    yellow: eachLine(chalk.yellow),
    blue: eachLine(chalk.blue),
    magenta: eachLine(chalk.magenta),
    cyan: eachLine(chalk.cyan),
  };
}
