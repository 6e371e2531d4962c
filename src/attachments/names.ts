/** Whether a name has characters of a pattern: `*`, `?`, `[…]`, `{a,b}`. */
export const isPattern = (name: string): boolean => /[*?]|\[.+\]|\{.+\}/.test(name);

export const isUrl = (name: string): boolean => /^https?:\/\//i.test(name);
