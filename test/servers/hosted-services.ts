import { eventStream, json, type RecordedResponse } from './recorded-response.ts';

const gateways: readonly RecordedResponse[] = [
  {
    server: 'LiteLLM',
    behaviour: '401 for a wrong key, the code as text',
    source: 'https://github.com/BerriAI/litellm/issues/7287',
    request: 'prompt',
    status: 401,
    contentType: json,
    body: '{"error":{"message":"Authentication Error, Invalid proxy server token passed. valid_token=None.","type":"auth_error","param":"None","code":"401"}}',
    outcome: {
      kind: 'unauthorized',
      message: '(401): Authentication Error, Invalid proxy server token passed.',
      retries: 0,
    },
  },
  {
    server: 'OpenRouter',
    behaviour: 'an error within an answer, status 200 (documented)',
    source: 'https://github.com/use-agent-os/agent-os/issues/2214',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `: OPENROUTER PROCESSING

data: {"id":"cmpl-abc123","object":"chat.completion.chunk","model":"openai/gpt-4o","provider":"openai","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}

data: {"id":"cmpl-abc123","object":"chat.completion.chunk","model":"openai/gpt-4o","provider":"openai","error":{"code":"server_error","message":"Provider disconnected unexpectedly"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}

`,
    outcome: {
      text: 'Hel',
      kind: 'incomplete',
      message: 'Provider disconnected unexpectedly',
      retries: 0,
    },
  },
  {
    server: 'OpenRouter',
    behaviour: "the provider's reason in `metadata.raw`",
    source: 'https://github.com/open-webui/computer/issues/293',
    request: 'prompt',
    status: 429,
    contentType: json,
    body: '{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"z-ai/glm-5.3-flash is temporarily rate-limited upstream. Please retry shortly","provider_name":"BaseTen","limit_source":"upstream_provider_shared_pool"}}}',
    outcome: {
      kind: 'rate_limited',
      message:
        'Provider returned error: z-ai/glm-5.3-flash is temporarily rate-limited upstream. Please retry shortly',
      retries: 4,
    },
  },
];

const hosted: readonly RecordedResponse[] = [
  {
    server: 'OpenAI',
    behaviour: '`max_tokens` refused by newer models',
    source: 'https://github.com/ITSpecialist111/ai_automation_suggester/issues/38',
    request: 'prompt',
    status: 400,
    contentType: json,
    body: `{ "error": { "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "type": "invalid_request_error", "param": "max_tokens", "code": "unsupported_parameter" } }`,
    outcome: {
      kind: 'invalid_request',
      message: "Use 'max_completion_tokens' instead.",
      retries: 0,
    },
  },
  {
    server: 'Mistral',
    behaviour: 'refuses `stream_options` (2025), the message as an object',
    source: 'https://github.com/avante-corp/avante.nvim/issues/2347',
    request: 'prompt',
    status: 422,
    contentType: json,
    body: '{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}',
    outcome: {
      kind: 'invalid_request',
      message: '(422): body.stream_options.include_usage: Extra inputs are not permitted',
      retries: 0,
    },
  },
  {
    server: 'Groq',
    behaviour: '429 with the wait in `retry-after` (the header is documented)',
    source:
      'https://github.com/danielmiessler/Fabric/issues/364 and console.groq.com/docs/rate-limits',
    request: 'prompt',
    status: 429,
    contentType: json,
    headers: { 'retry-after': '2' },
    body: '{"error":{"message":"Rate limit reached for model `llama3-70b-8192` in organization `org_01` on tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903. Please try again in 50.597142857s.","type":"tokens","code":"rate_limit_exceeded"}}',
    outcome: {
      kind: 'rate_limited',
      message: 'on tokens per minute (TPM): Limit 7000',
      retries: 4,
    },
  },
];

export const hostedServices = [...gateways, ...hosted];
