const notReady = { prepareLive: () => undefined };

/** Other threads compile the layout engine while settings and conversation are read. The start throws an error. */
export async function prepareScreen(): Promise<void> {
  const { prepareLive } = await import('../../repl/live/start-live.ts').catch(() => notReady);
  prepareLive();
}
