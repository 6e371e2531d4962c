/** The form of a provider's tokens, from its public documentation. */
interface TokenShape {
  /** For people: `GitHub token`. */
  readonly name: string;
  /** Sticky; tried where a run of token characters starts. Repetitions have limits, so that none fills the stack. */
  readonly pattern: RegExp;
}

/** Follows a token of fixed length. */
const wordEnd = '(?![\\w-])';

const shape = (name: string, pattern: string): TokenShape => ({
  name,
  pattern: new RegExp(pattern, 'y'),
});

/** By the first character of the run in which a token starts; the more specific shapes come first. */
const shapes: Readonly<Record<string, readonly TokenShape[]>> = {
  A: [
    shape('AWS access key', `(?:AKIA|ASIA)[A-Z2-7]{16}${wordEnd}`),
    shape('Google API key', `AIza[\\w-]{35}${wordEnd}`),
  ],
  G: [shape('Google OAuth secret', `GOCSPX-[\\w-]{28}${wordEnd}`)],
  d: [
    shape('Docker token', 'dckr_[po]at_[\\w-]{20,2000}'),
    shape('DigitalOcean token', `do[opr]_v1_[a-f0-9]{64}${wordEnd}`),
    shape('Databricks token', 'dapi[a-f0-9]{32}(?:-\\d)?(?![\\w-])'),
  ],
  e: [shape('JSON Web Token', 'eyJ[\\w-]{14,2000}\\.eyJ[\\w-]{10,2000}\\.[\\w-]{16,2000}')],
  g: [
    shape('GitHub token', 'gh[oprsu]_[A-Za-z0-9]{36,2000}|github_pat_\\w{36,2000}'),
    shape(
      'GitLab token',
      'gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat)-[\\w-]{20,2000}(?:\\.[\\w.]{9,2000})?',
    ),
    shape('Groq key', `gsk_[A-Za-z0-9]{40,2000}${wordEnd}`),
  ],
  h: [shape('Hugging Face token', `hf_[A-Za-z0-9]{34}${wordEnd}`)],
  l: [shape('Linear key', `lin_api_[A-Za-z0-9]{40}${wordEnd}`)],
  n: [shape('npm token', `npm_[A-Za-z0-9]{36}${wordEnd}`)],
  p: [shape('PyPI token', 'pypi-AgE[\\w-]{50,2000}')],
  r: [shape('Stripe key', `rk_(?:live|test)_[A-Za-z0-9]{16,2000}${wordEnd}`)],
  s: [
    shape('Anthropic key', 'sk-ant-[\\w-]{20,2000}'),
    shape('OpenAI key', 'sk-(?:admin|proj|svcacct)-[\\w-]{20,2000}'),
    shape('OpenRouter key', `sk-or-v1-[a-f0-9]{64}${wordEnd}`),
    shape('API key', `sk-[A-Za-z0-9]{32,2000}${wordEnd}`),
    shape('Stripe key', `sk_(?:live|test)_[A-Za-z0-9]{16,2000}${wordEnd}`),
    shape('Shopify token', `shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}${wordEnd}`),
  ],
  w: [shape('Stripe webhook secret', `whsec_[A-Za-z0-9]{32,2000}${wordEnd}`)],
  x: [
    shape(
      'Slack token',
      'xox[abeoprs]-(?=[\\w-]{0,40}\\d)[\\w-]{16,2000}|xapp-\\d-[\\w-]{16,2000}',
    ),
    shape('xAI key', `xai-[A-Za-z0-9]{60,2000}${wordEnd}`),
  ],
};

/** Their tokens follow a dot, at which a run starts. */
const afterDot: readonly TokenShape[] = [
  shape('SendGrid key', '(?<=(?:^|[^\\w-]|\\\\[nrt])SG\\.)[\\w-]{22}\\.[\\w-]{43}(?![\\w-])'),
  shape('Vault token', '(?<=(?:^|[^\\w-]|\\\\[nrt])hv[bs]\\.)[\\w-]{24,2000}'),
];

/** The shortest run that a token contains. */
const shortestRun = 20;

const isTokenCode = new Uint8Array(128).map((_, code) =>
  /[\w-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const isInRun = (text: string, index: number) => isTokenCode[text.charCodeAt(index)] === 1;

export interface FoundToken {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function tokenAt(text: string, start: number): FoundToken | undefined {
  const candidates = text[start - 1] === '.' ? afterDot : shapes[text[start] ?? ''];
  for (const { name, pattern } of candidates ?? []) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return { name, start, end: pattern.lastIndex };
  }
  return undefined;
}

/**
 * The tokens in a text, in order. Looks only at every 20th character, and around those that may be part of a run of 20.
 */
export function* findTokens(text: string): Generator<FoundToken, void> {
  let from = 0;
  for (let probe = shortestRun - 1; probe < text.length; probe += shortestRun) {
    if (!isInRun(text, probe)) continue;
    let start = probe;
    while (start > from && isInRun(text, start - 1)) start -= 1;
    let end = probe + 1;
    while (end < text.length && isInRun(text, end)) end += 1;
    from = end;
    probe = end;
    if (end - start < shortestRun) continue;
    // A token after an escape such as \n in JSON.
    const isEscaped = text[start - 1] === '\\';
    const found = tokenAt(text, start) ?? (isEscaped ? tokenAt(text, start + 1) : undefined);
    if (found !== undefined) yield found;
  }
}
