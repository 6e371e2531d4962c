import type { ReactNode } from 'react';
import type { SearchView } from './view-model.ts';
import { useAppearance } from './appearance.ts';
import { shorten } from './fit-parts.ts';
import { Row } from './Rows.tsx';

export function SearchLine({ search }: { readonly search: SearchView }): ReactNode {
  const { style, signs, columns } = useAppearance();
  const label = search.found ? 'history: ' : 'not in the history: ';
  const query = shorten(search.query, columns - label.length, signs);
  return <Row>{(search.found ? style.dim(label) : style.yellow(label)) + query}</Row>;
}
