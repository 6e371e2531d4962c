// Responses that real servers sent, as public reports and records quote them. Ids and host names are shortened.

import { expect, test } from 'vitest';
import { describeModel } from '../../src/client/models/model-description.ts';
import { type FailureKind, Failure } from '../../src/failure.ts';
import { done, response } from '../support/raw-replies.ts';
import { runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

/** What natter makes of a response to a prompt. */
interface Outcome {
  readonly text?: string;
  readonly reasoning?: string;
  readonly finishReason?: string;
  /** Tokens of the prompt and of the answer. */
  readonly usage?: readonly [number, number];
  readonly kind?: FailureKind;
  /** A part of the failure's message. */
  readonly message?: string;
  readonly retries?: number;
}

const events = (...data: readonly string[]) => data.map((value) => `data: ${value}\n\n`).join('');

const prompts: [
  name: string,
  source: string,
  status: number,
  body: string,
  Outcome,
  headers?: Readonly<Record<string, string>>,
][] = [
  [
    'llama.cpp: 503 while a model loads',
    'https://github.com/mindverse/Second-Me/issues/20',
    503,
    '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}',
    { kind: 'server_error', message: 'the service failed (503): Loading model', retries: 4 },
  ],
  [
    'llama.cpp: a prompt longer than the context',
    'https://github.com/ggml-org/llama.cpp/pull/15780, with the wording of later builds',
    400,
    '{"error":{"code":400,"message":"request (4293 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":4293,"n_ctx":4096}}',
    {
      kind: 'invalid_request',
      message: '(4293 tokens) exceeds the available context size (4096 tokens)',
    },
  ],
  [
    'llama.cpp: the same error with status 200',
    'https://github.com/oobabooga/textgen/issues/7257',
    200,
    '{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}',
    { kind: 'invalid_request', message: 'the request exceeds the available context size' },
  ],
  [
    'llama.cpp: reasoning in `reasoning_content`, without text',
    'https://ontouchstart.github.io/home/2026-10-06/cargo (build b11429)',
    200,
    '{"choices":[{"finish_reason":"length","index":0,"message":{"content":"","reasoning_content":"The user said \\"Hello!\\".\\n","role":"assistant"}}],"created":1791322972,"id":"chatcmpl-uwd8","model":"models/gemma.gguf","object":"chat.completion","timings":{"cache_n":13,"predicted_ms":1209.132},"usage":{"completion_tokens":10,"prompt_tokens":18,"prompt_tokens_details":{"cached_tokens":13},"total_tokens":28}}',
    { text: '', reasoning: 'The user said "Hello!".\n', finishReason: 'length', usage: [18, 10] },
  ],
  [
    'Ollama: 404 for a model that is not pulled',
    'https://github.com/netease-youdao/QAnything/issues/555',
    404,
    '{"error":{"message":"model \\"ollama\\" not found, try pulling it first","type":"api_error","param":null,"code":null}}',
    { kind: 'not_found', message: '(404): model "ollama" not found, try pulling it first' },
  ],
  [
    'vLLM: 404 for an unknown model, the error without `error`',
    'https://github.com/vllm-project/vllm/issues/3485',
    404,
    '{"object":"error","message":"The model `Qwen1.5-14B-Chat-GPTQ-Int8` does not exist.","type":"NotFoundError","param":null,"code":404}',
    { kind: 'not_found', message: 'The model `Qwen1.5-14B-Chat-GPTQ-Int8` does not exist.' },
  ],
  [
    'LM Studio: 200 for an unknown path',
    'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618',
    200,
    '{"error":"Unexpected endpoint or method. (POST /chat/completions)"}',
    { kind: 'server_error', message: 'Unexpected endpoint or method. (POST /chat/completions)' },
  ],
  [
    'LM Studio: a prompt longer than the context: status 200 and an `error` event',
    'https://github.com/aaif-goose/goose/issues/11318',
    200,
    'event: error\ndata: {"error":{"message":"Input does not fit in context length. The input has 31430 tokens, but the context length only supports 30000 tokens."},"message":"Input does not fit in context length. The input has 31430 tokens, but the context length only supports 30000 tokens."}\n\n',
    {
      kind: 'server_error',
      message: 'The input has 31430 tokens, but the context length only supports 30000 tokens.',
    },
  ],
  [
    'LiteLLM: 401 for a wrong key, the code as text',
    'https://github.com/BerriAI/litellm/issues/7287',
    401,
    '{"error":{"message":"Authentication Error, Invalid proxy server token passed. valid_token=None.","type":"auth_error","param":"None","code":"401"}}',
    {
      kind: 'unauthorized',
      message: '(401): Authentication Error, Invalid proxy server token passed.',
    },
  ],
  [
    'OpenRouter: an error within an answer, status 200 (documented)',
    'https://github.com/use-agent-os/agent-os/issues/2214',
    200,
    events(
      '{"id":"cmpl-abc123","object":"chat.completion.chunk","model":"openai/gpt-4o","provider":"openai","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}',
      '{"id":"cmpl-abc123","object":"chat.completion.chunk","model":"openai/gpt-4o","provider":"openai","error":{"code":"server_error","message":"Provider disconnected unexpectedly"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}',
    ),
    { text: 'Hel', kind: 'incomplete', message: 'Provider disconnected unexpectedly' },
  ],
  [
    "OpenRouter: the provider's reason in `metadata.raw`",
    'https://github.com/open-webui/computer/issues/293',
    429,
    '{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"z-ai/glm-5.3-flash is temporarily rate-limited upstream. Please retry shortly","provider_name":"BaseTen","limit_source":"upstream_provider_shared_pool"}}}',
    {
      kind: 'rate_limited',
      message:
        'Provider returned error: z-ai/glm-5.3-flash is temporarily rate-limited upstream. Please retry shortly',
      retries: 4,
    },
  ],
  [
    'Mistral: refuses `stream_options` (2025), the message as an object',
    'https://github.com/avante-corp/avante.nvim/issues/2347',
    422,
    '{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}',
    {
      kind: 'invalid_request',
      message: '(422): body.stream_options.include_usage: Extra inputs are not permitted',
    },
  ],
  [
    'Groq: 429 with the wait in `retry-after` (the header is documented)',
    'https://github.com/danielmiessler/Fabric/issues/364 and console.groq.com/docs/rate-limits',
    429,
    '{"error":{"message":"Rate limit reached for model `llama3-70b-8192` in organization `org_01` on tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903. Please try again in 50.597142857s.","type":"tokens","code":"rate_limit_exceeded"}}',
    { kind: 'rate_limited', message: 'on tokens per minute (TPM): Limit 7000', retries: 4 },
    { 'retry-after': '2' },
  ],
  [
    'DeepSeek: comments while the prompt waits, reasoning in `reasoning_content` (documented)',
    'api-docs.deepseek.com: rate_limit, guides/thinking_mode',
    200,
    ': keep-alive\n\n' +
      events(
        '{"id":"1f633d8b","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-v4-flash","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Okay"},"finish_reason":null}]}',
        '{"id":"1f633d8b","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-v4-flash","choices":[{"index":0,"delta":{"content":"Hello","reasoning_content":null},"finish_reason":null}]}',
        '{"id":"1f633d8b","object":"chat.completion.chunk","created":1718345013,"model":"deepseek-v4-flash","choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":17,"completion_tokens":9,"total_tokens":26}}',
      ) +
      done,
    { text: 'Hello', reasoning: 'Okay', finishReason: 'stop', usage: [17, 9] },
  ],
  [
    'OpenRouter: text and its end in one event, from Gemini',
    'https://github.com/avante-corp/avante.nvim/issues/1176',
    200,
    events(
      '{"id":"gen-1","object":"chat.completion.chunk","model":"google/gemini-2.0-flash","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":"stop","native_finish_reason":"STOP","logprobs":null}]}',
    ) + done,
    { text: 'Hello', finishReason: 'stop' },
  ],
  [
    'Groq: usage in `x_groq` of the last event',
    'https://github.com/vercel/ai, packages/groq/src/groq-chat-language-model.test.ts',
    200,
    events(
      '{"id":"chatcmpl-e7f8","object":"chat.completion.chunk","created":1729171479,"model":"gemma2-9b-it","system_fingerprint":"fp_10c08bf97d","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"logprobs":null,"finish_reason":null}],"x_groq":{"id":"req_01jadadp"}}',
      '{"id":"chatcmpl-e7f8","object":"chat.completion.chunk","created":1729171479,"model":"gemma2-9b-it","system_fingerprint":"fp_10c08bf97d","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"x_groq":{"id":"req_01jadadp","usage":{"queue_time":0.061348671,"prompt_tokens":18,"prompt_time":0.000211569,"completion_tokens":439,"completion_time":0.798181818,"total_tokens":457,"total_time":0.798393387}}}',
    ) + done,
    { text: 'Hello', finishReason: 'stop', usage: [18, 439] },
  ],
  [
    'Azure OpenAI: 404 for an unknown deployment',
    'https://github.com/chatboxai/chatbox/issues/861',
    404,
    '{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}',
    {
      kind: 'not_found',
      message: 'the service does not know this model (404): The API deployment',
    },
  ],
  [
    'Gemini: an error in a list, and 400 for a wrong key',
    'https://github.com/continuedev/continue/issues/10290',
    400,
    '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]',
    {
      kind: 'unauthorized',
      message: 'the service requires a valid API key (400): API key not valid.',
    },
  ],
  [
    'GitHub Models: 400 for an unknown model',
    'https://github.com/github/gh-models/issues/65',
    400,
    '{"error":{"code":"unknown_model","message":"Unknown model: deepseek/deepseek-v3","details":"Unknown model: deepseek/deepseek-v3"}}',
    {
      kind: 'not_found',
      message: 'the service does not know this model (400): Unknown model: deepseek/deepseek-v3',
    },
  ],
];

const typeOf = (body: string) => (/^[[{]/.test(body) ? 'application/json' : 'text/event-stream');

test.each(prompts)('reads %s', async (_name, _source, status, body, expected, headers = {}) => {
  const bytes = response(status, { 'content-type': typeOf(body), ...headers }, body);
  // As many as the client sends requests to a server that always fails.
  const {
    events: seen,
    text,
    error,
    delays,
  } = await runChat(await serveClient(Array.from({ length: 5 }, () => [bytes])));
  const { message = '', usage, ...outcome } = expected;
  const end = seen.find((event) => event.type === 'answer-finished');
  const reasoning = seen.map((event) => (event.type === 'reasoning-received' ? event.text : ''));
  const failed = error instanceof Failure ? error : undefined;
  expect({
    text,
    reasoning: reasoning.join(''),
    finishReason: end?.finishReason,
    kind: failed?.kind,
    retries: delays.length,
  }).toEqual({ text: '', reasoning: '', retries: 0, ...outcome });
  expect([end?.usage?.prompt_tokens, end?.usage?.completion_tokens]).toEqual(
    usage ?? [undefined, undefined],
  );
  expect(failed?.message ?? '').toContain(message);
});

type Models = readonly (readonly [id: string, window: number | undefined])[];

const lists: [name: string, source: string, body: string, Models][] = [
  [
    'llama.cpp: window and two lists in the list of models',
    'https://ontouchstart.github.io/home/2026-10-06/cargo (build b11429)',
    '{"data":[{"aliases":["models/gemma.gguf"],"created":1791322978,"id":"models/gemma.gguf","meta":{"ftype":"Q8_0","n_ctx":193024,"n_ctx_train":262144,"n_embd":3840,"size":12653822144},"object":"model","owned_by":"llamacpp","tags":[]}],"models":[{"capabilities":["completion"],"description":"","details":{"family":"","format":"gguf"},"digest":"","model":"models/gemma.gguf","modified_at":"","name":"models/gemma.gguf","parameters":"","size":"","type":"model"}],"object":"list"}',
    [['models/gemma.gguf', 193_024]],
  ],
  [
    'vLLM: window in the list of models',
    'https://github.com/cbtham/rhoai-genai-workshop',
    '{"object":"list","data":[{"id":"qwen3-4b-quantizedw4a16","object":"model","created":1743010793,"owned_by":"vllm","root":"/mnt/models","parent":null,"max_model_len":4096,"permission":[{"id":"modelperm-09f1","object":"model_permission","organization":"*","group":null,"is_blocking":false}]}]}',
    [['qwen3-4b-quantizedw4a16', 4_096]],
  ],
  [
    'Azure OpenAI: a list of base models, not of deployments (documented)',
    'learn.microsoft.com/en-us/rest/api/azureopenai/models/list',
    '{"data":[{"status":"succeeded","capabilities":{"fine_tune":true,"inference":true,"completion":true,"chat_completion":false,"embeddings":false},"lifecycle_status":"generally-available","deprecation":{"fine_tune":1677662127,"inference":1709284527},"id":"curie","created_at":1646126127,"object":"model"}]}',
    [['curie', undefined]],
  ],
  [
    'Gemini: ids that begin with `models/`, no windows (documented)',
    'ai.google.dev/gemini-api/docs/openai and ai.google.dev/api/compatibility',
    '{"object":"list","data":[{"id":"models/gemini-2.5-flash","object":"model","owned_by":"google","display_name":"Gemini 2.5 Flash"}]}',
    [['models/gemini-2.5-flash', undefined]],
  ],
  [
    'GitHub Models: the catalogue, a bare list with windows (documented)',
    'docs.github.com/en/rest/models/catalog',
    '[{"id":"openai/gpt-4.1","name":"OpenAI GPT-4.1","publisher":"OpenAI","registry":"azure-openai","version":"2025-04-14","capabilities":["streaming","tool-calling"],"limits":{"max_input_tokens":1048576,"max_output_tokens":32768},"rate_limit_tier":"high","supported_input_modalities":["text","image","audio"],"supported_output_modalities":["text"],"tags":["multipurpose"]}]',
    [['openai/gpt-4.1', 1_048_576]],
  ],
  [
    'Mistral: windows in `max_context_length`',
    'https://github.com/simonw/llm-mistral/issues/23',
    '{"object":"list","data":[{"id":"mistral-tiny-latest","object":"model","created":1742235471,"owned_by":"mistralai","capabilities":{"completion_chat":true,"completion_fim":false,"vision":false},"name":"open-mistral-nemo","max_context_length":131072,"aliases":["open-mistral-nemo"],"deprecation":null,"type":"base"}]}',
    [['mistral-tiny-latest', 131_072]],
  ],
  [
    'OpenRouter: windows in `context_length` (documented)',
    'openrouter.ai/docs/api-reference/list-available-models',
    '{"data":[{"id":"openai/gpt-4o","name":"OpenAI: GPT-4o","created":1715367049,"context_length":128000,"architecture":{"modality":"text+image->text"},"top_provider":{"context_length":128000,"max_completion_tokens":16384,"is_moderated":true},"pricing":{"prompt":"0.0000025","completion":"0.00001"}}]}',
    [['openai/gpt-4o', 128_000]],
  ],
  [
    'Groq: windows in `context_window`',
    'https://github.com/sigoden/aichat/pull/1498',
    '{"object":"list","data":[{"id":"llama-3.1-8b-instant","object":"model","created":1693721698,"owned_by":"Meta","active":true,"context_window":131072,"public_apps":null,"max_completion_tokens":131072}]}',
    [['llama-3.1-8b-instant', 131_072]],
  ],
];

test.each(lists)('reads %s', async (_name, _source, body, models) => {
  const { client } = await serveClient([[response(200, { 'content-type': typeOf(body) }, body)]]);
  const described = (await client.listModels()).map(describeModel);
  expect(described.map(({ id, contextWindow }) => [id, contextWindow])).toEqual(models);
});
