/** Every name of `entities`, with its characters: those that its decoder follows to the end. */
export function collectNames(): ReadonlyMap<string, string>;
