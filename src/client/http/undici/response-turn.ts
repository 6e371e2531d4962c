import type { HttpResponse } from '../transport.ts';

interface Arrived {
  readonly resolve: (response: HttpResponse) => void;
  readonly response: HttpResponse;
}

/**
 * Resolves the responses that arrive in one turn of the event loop together, at its end. Each step of the code that
 * reads them then runs for one after the other, from warm caches of the processor: a tenth of the CPU of a batch
 * (docs/decisions/0026-batch-speed.md).
 */
export class ResponseTurn {
  #arrived: Arrived[] = [];
  readonly #resolveAll = (): void => {
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const { resolve, response } of arrived) resolve(response);
  };

  add(resolve: Arrived['resolve'], response: HttpResponse): void {
    if (this.#arrived.push({ resolve, response }) === 1) setImmediate(this.#resolveAll);
  }
}
