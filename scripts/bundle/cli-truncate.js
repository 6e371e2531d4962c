// Replaces cli-truncate in the bundle: natter's rows are cut at their end only.
import stringWidth from 'fast-string-width';
import sliceAnsi from './slice-ansi.js';

export default function cliTruncate(text, columns) {
  if (columns < 1) return '';
  return stringWidth(text) > columns ? `${sliceAnsi(text, 0, columns - 1)}…` : text;
}
