/** Texts of `natter help` that are no command's help. */
export const topicNames = ['environment', 'exit-codes', 'piping', 'privacy'] as const;
