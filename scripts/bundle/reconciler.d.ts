export const missingHooks: readonly string[];
export function reconcilerOfInk(code: string): string;
