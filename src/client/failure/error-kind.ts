import { errorNames, nameOfStatus, type ErrorName } from '../contract.ts';

/** Statuses that other services of this kind use beside the contract's; the rest goes by its class. */
const otherStatuses: Readonly<Record<number, ErrorName>> = {
  402: 'forbidden',
  408: 'server_error',
};

/** The kind of an error by the HTTP status it came with, or that its body states. */
export function kindOfStatus(status: number): ErrorName {
  const isRequestsFault = status >= 400 && status < 500;
  return (
    nameOfStatus(status) ??
    otherStatuses[status] ??
    (isRequestsFault ? 'invalid_request' : 'server_error')
  );
}

/** The contract's error of that name, in whatever case it was written. */
export function kindOfName(name: string | undefined): ErrorName | undefined {
  return Object.values(errorNames).find((known) => known === name?.toLowerCase());
}
