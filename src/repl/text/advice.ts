/** What is advised on a command line, and the same for someone who sits in a conversation. */
const translations: readonly (readonly [said: RegExp, meant: string])[] = [
  [/--dry-run shows what is sent/, '/model, /system and /max-tokens change what is sent'],
  [/natter models list shows the models there are/, '/models lists the models there are'],
  // What could not be reached is named; another run of natter would say no more.
  [/(?<=check the base URL and the network): natter auth status$/, ''],
  [/natter conversations list shows/, '/conversations shows'],
  [/(?<=^|\s)-m (?=\w)/, '/model '],
];

/** An option that is no part of a command to type, as `natter --resume x` is. */
const option = /^(?!.*\bnatter\b).*--[a-z]/;

/** Advice as it helps inside a conversation, where there are slash commands and no options. */
export function adviceInConversation(advice: string): string {
  const meant = translations.reduce((text, [said, means]) => text.replace(said, means), advice);
  return option.test(meant) ? `${meant} (when natter is started)` : meant;
}
