import { eventStream, json, type Outcome, type RecordedResponse } from './recorded-response.ts';

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

const streams: readonly RecordedResponse[] = [
  {
    server: 'OpenAI',
    behaviour: 'usage in a last event without choices, with `stream_options` (documented)',
    source: 'platform.openai.com/docs/api-reference/chat-streaming',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29}}

data: [DONE]

`,
    outcome: {
      text: 'Hello',
      finishReason: 'stop',
      usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
    },
  },
  {
    server: 'DeepSeek',
    behaviour: 'comments while the prompt waits, reasoning in `reasoning_content` (documented)',
    source: 'api-docs.deepseek.com: rate_limit, guides/thinking_mode',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `: keep-alive

: keep-alive

data: {"id":"1f633d8b","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-v4-flash","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Okay"},"finish_reason":null}]}

data: {"id":"1f633d8b","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-v4-flash","choices":[{"index":0,"delta":{"content":"Hello","reasoning_content":null},"finish_reason":null}]}

data: {"id":"1f633d8b","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-v4-flash","choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":17,"completion_tokens":9,"total_tokens":26}}

data: [DONE]

`,
    outcome: {
      text: 'Hello',
      reasoning: 'Okay',
      finishReason: 'stop',
      usage: { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 },
    },
  },
  {
    server: 'GitHub Models',
    behaviour: 'filler in each event',
    source: 'https://github.com/aaif-goose/goose/pull/3875',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1754442305,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"0k83GoAO83d"}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1754442305,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null,"obfuscation":"ZnJkREKdLAc"}

data: [DONE]

`,
    outcome: { text: 'Hello', finishReason: 'stop' },
  },
  {
    server: 'OpenRouter',
    behaviour: 'text and its end in one event, from Gemini',
    source: 'https://github.com/avante-corp/avante.nvim/issues/1176',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `data: {"id":"gen-1","object":"chat.completion.chunk","model":"google/gemini-2.0-flash","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":"stop","native_finish_reason":"STOP","logprobs":null}]}

data: [DONE]

`,
    outcome: { text: 'Hello', finishReason: 'stop' },
  },
  {
    server: 'Mistral',
    behaviour: 'usage in the last event (documented)',
    source: 'docs.mistral.ai: release note of 16 January 2024, and the reference of the API',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `data: {"id":"cmpl-1","object":"chat.completion.chunk","created":1702256327,"model":"mistral-small-latest","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}

data: {"id":"cmpl-1","object":"chat.completion.chunk","created":1702256327,"model":"mistral-small-latest","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":16,"total_tokens":50,"completion_tokens":34}}

data: [DONE]

`,
    outcome: {
      text: 'Hello',
      finishReason: 'stop',
      usage: { prompt_tokens: 16, completion_tokens: 34, total_tokens: 50 },
    },
  },
  {
    server: 'Groq',
    behaviour: 'usage in `x_groq` of the last event',
    source: 'https://github.com/vercel/ai, packages/groq/src/groq-chat-language-model.test.ts',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `data: {"id":"chatcmpl-e7f8","object":"chat.completion.chunk","created":1729171479,"model":"gemma2-9b-it","system_fingerprint":"fp_10c08bf97d","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"logprobs":null,"finish_reason":null}],"x_groq":{"id":"req_01jadadp"}}

data: {"id":"chatcmpl-e7f8","object":"chat.completion.chunk","created":1729171479,"model":"gemma2-9b-it","system_fingerprint":"fp_10c08bf97d","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"x_groq":{"id":"req_01jadadp","usage":{"queue_time":0.061348671,"prompt_tokens":18,"prompt_time":0.000211569,"completion_tokens":439,"completion_time":0.798181818,"total_tokens":457,"total_time":0.798393387}}}

data: [DONE]

`,
    outcome: {
      text: 'Hello',
      finishReason: 'stop',
      usage: { prompt_tokens: 18, completion_tokens: 439, total_tokens: 457 },
    },
  },
];

const errors: readonly RecordedResponse[] = [
  {
    server: 'Azure OpenAI',
    behaviour: '404 for an unknown deployment',
    source: 'https://github.com/chatboxai/chatbox/issues/861',
    request: 'prompt',
    status: 404,
    contentType: json,
    body: '{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}',
    outcome: {
      kind: 'not_found',
      message: 'the service does not know this model (404): The API deployment',
      retries: 0,
    },
  },
  {
    server: 'Gemini',
    behaviour: 'an error in a list, and 400 for a wrong key',
    source: 'https://github.com/continuedev/continue/issues/10290',
    request: 'prompt',
    status: 400,
    contentType: json,
    body: '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]',
    outcome: {
      kind: 'unauthorized',
      message: 'the service requires a valid API key (400): API key not valid.',
      retries: 0,
    },
  },
  {
    server: 'GitHub Models',
    behaviour: '400 for an unknown model',
    source: 'https://github.com/github/gh-models/issues/65',
    request: 'prompt',
    status: 400,
    contentType: json,
    body: '{"error":{"code":"unknown_model","message":"Unknown model: deepseek/deepseek-v3","details":"Unknown model: deepseek/deepseek-v3"}}',
    outcome: {
      kind: 'not_found',
      message: 'the service does not know this model (400): Unknown model: deepseek/deepseek-v3',
      retries: 0,
    },
  },
];

const listOf = (
  server: string,
  behaviour: string,
  source: string,
  body: string,
  models: NonNullable<Outcome['models']>,
): RecordedResponse => ({
  server,
  behaviour,
  source,
  request: 'models',
  status: 200,
  contentType: json,
  body,
  outcome: { models },
});

const lists = [
  listOf(
    'OpenAI',
    'a list without windows (documented)',
    'platform.openai.com/docs/api-reference/models/list',
    '{"object":"list","data":[{"id":"gpt-4.1","object":"model","created":1686935002,"owned_by":"openai"}]}',
    [['gpt-4.1', undefined]],
  ),
  listOf(
    'Azure OpenAI',
    'a list of base models, not of deployments (documented)',
    'learn.microsoft.com/en-us/rest/api/azureopenai/models/list',
    '{"data":[{"status":"succeeded","capabilities":{"fine_tune":true,"inference":true,"completion":true,"chat_completion":false,"embeddings":false},"lifecycle_status":"generally-available","deprecation":{"fine_tune":1677662127,"inference":1709284527},"id":"curie","created_at":1646126127,"object":"model"}]}',
    [['curie', undefined]],
  ),
  listOf(
    'Gemini',
    'ids that begin with `models/`, no windows (documented)',
    'ai.google.dev/gemini-api/docs/openai and ai.google.dev/api/compatibility',
    '{"object":"list","data":[{"id":"models/gemini-2.5-flash","object":"model","owned_by":"google","display_name":"Gemini 2.5 Flash"}]}',
    [['models/gemini-2.5-flash', undefined]],
  ),
  listOf(
    'GitHub Models',
    'the catalogue, a bare list with windows (documented)',
    'docs.github.com/en/rest/models/catalog',
    '[{"id":"openai/gpt-4.1","name":"OpenAI GPT-4.1","publisher":"OpenAI","registry":"azure-openai","version":"2025-04-14","capabilities":["streaming","tool-calling"],"limits":{"max_input_tokens":1048576,"max_output_tokens":32768},"rate_limit_tier":"high","supported_input_modalities":["text","image","audio"],"supported_output_modalities":["text"],"tags":["multipurpose"]}]',
    [['openai/gpt-4.1', 1_048_576]],
  ),
  listOf(
    'Mistral',
    'windows in `max_context_length`',
    'https://github.com/simonw/llm-mistral/issues/23',
    '{"object":"list","data":[{"id":"mistral-tiny-latest","object":"model","created":1742235471,"owned_by":"mistralai","capabilities":{"completion_chat":true,"completion_fim":false,"vision":false},"name":"open-mistral-nemo","max_context_length":131072,"aliases":["open-mistral-nemo"],"deprecation":null,"type":"base"}]}',
    [['mistral-tiny-latest', 131_072]],
  ),
  listOf(
    'DeepSeek',
    'a list without windows (documented)',
    'api-docs.deepseek.com/api/list-models',
    '{"object":"list","data":[{"id":"deepseek-chat","object":"model","owned_by":"deepseek"}]}',
    [['deepseek-chat', undefined]],
  ),
  listOf(
    'OpenRouter',
    'windows in `context_length` (documented)',
    'openrouter.ai/docs/api-reference/list-available-models',
    '{"data":[{"id":"openai/gpt-4o","name":"OpenAI: GPT-4o","created":1715367049,"context_length":128000,"architecture":{"modality":"text+image->text"},"top_provider":{"context_length":128000,"max_completion_tokens":16384,"is_moderated":true},"pricing":{"prompt":"0.0000025","completion":"0.00001"}}]}',
    [['openai/gpt-4o', 128_000]],
  ),
  listOf(
    'Groq',
    'windows in `context_window`',
    'https://github.com/sigoden/aichat/pull/1498',
    '{"object":"list","data":[{"id":"llama-3.1-8b-instant","object":"model","created":1693721698,"owned_by":"Meta","active":true,"context_window":131072,"public_apps":null,"max_completion_tokens":131072}]}',
    [['llama-3.1-8b-instant', 131_072]],
  ),
];

export const hostedServices = [...gateways, ...hosted, ...streams, ...errors, ...lists];
